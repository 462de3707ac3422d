// Connecting to monitored servers: the one way in for the collector, live calls and the connection test. Guards: the
// address is judged before anything is sent to it, sslmode means what libpq means by it, and nothing here waits
// longer than its timeout or leaves a socket behind.
import { systemClock } from '../kernel/clock.ts';
import { type ConnectAttempt, type TlsPlan, tlsPlan } from '../kernel/server-address/ssl-mode.ts';
import { Deadline } from './deadline.ts';
import { withFetchedPassword } from './fetched-password.ts';
import { type Lookup, lookupHost } from './lookup.ts';
import { resolveHost } from './resolve.ts';
import type { TargetSession } from './session.ts';
import type { TargetSettings, TextClient } from './settings.ts';
import { SignInRefused, signIn } from './sign-in.ts';
import { connectTcp, HandshakeFailed, secure, type TlsWish } from './socket.ts';
import { withStartupEncoding } from './startup-encoding.ts';
import { withStartupLimits } from './startup-limits.ts';
import { TargetError, wireError } from './target-error.ts';
import { secureContext } from './tls-files.ts';
import { UNFINISHED, unfinishedSignIn } from './unfinished-sign-ins.ts';

export { PREPARE as SESSION_STATEMENT, TRANSACTION_SETTINGS, type Way } from './own-session.ts';
export type {
  Asking,
  FetchedPassword,
  PendingReply,
  ReplyLimits,
  TargetClient,
  TargetSettings,
  TextClient,
  TextTable,
} from './settings.ts';
export { TargetError } from './target-error.ts';

export type OpeningStep = 'resolve' | 'connect' | 'tls' | 'sign_in';

export interface StepDone {
  step: OpeningStep;
  took_ms: number;
  /** After `resolve`: where the host is. After `connect`: the address that answered. */
  addresses?: readonly string[];
  /** After `tls`: whether the connection is encrypted. */
  tls?: boolean;
}

export interface OpenOptions {
  signal?: AbortSignal | undefined;
  lookup?: Lookup | undefined;
  /** Told of each step that succeeded; a second attempt of `allow` or `prefer` reports its steps again. */
  onStep?: ((done: StepDone) => void) | undefined;
}

interface Opening {
  settings: TargetSettings;
  deadline: Deadline;
  plan: TlsPlan;
  addresses: readonly string[];
  timer: StepTimer;
}

/** Knows which step is under way, for the words of a timeout, and how long each took. */
class StepTimer {
  step: OpeningStep = 'resolve';
  #since = systemClock.monotonic();
  readonly #report: OpenOptions['onStep'];

  constructor(report: OpenOptions['onStep']) {
    this.#report = report;
  }

  start(step: OpeningStep): void {
    this.step = step;
    this.#since = systemClock.monotonic();
  }

  done(facts: Pick<StepDone, 'addresses' | 'tls'> = {}): void {
    this.#report?.({ step: this.step, took_ms: Math.round(systemClock.monotonic() - this.#since), ...facts });
  }
}

interface Failure {
  error: TargetError;
  /** Whether the failed attempt had got as far as an encrypted connection. */
  encrypted: boolean;
}

/** A way in was refused, and the mode may have another. */
class AttemptFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

async function attemptOnce(opening: Opening, attempt: ConnectAttempt, wish: TlsWish): Promise<TargetSession> {
  const { settings, deadline, addresses, timer } = opening;
  timer.start('connect');
  const tcp = await connectTcp(addresses, settings.port, deadline);
  timer.done({ addresses: [tcp.address] });
  timer.start('tls');
  try {
    const secured = await secure(tcp, attempt, wish);
    timer.done({ tls: secured.tls });
    timer.start('sign_in');
    try {
      const session = await signIn({ ...secured, address: tcp.address }, settings, deadline);
      timer.done();
      return session;
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      throw new AttemptFailed({ error: error.error, encrypted: secured.tls });
    }
  } catch (error) {
    if (!(error instanceof HandshakeFailed) || deadline.signal.aborted) throw error;
    throw new AttemptFailed({ error: wireError(error.cause, settings, 'tls'), encrypted: false });
  }
}

/** The failure that tells the owner most: the encrypted way's, unless it never got through its handshake. */
function mostTelling(failures: readonly Failure[]): TargetError | undefined {
  const encrypted = failures.find((failure) => failure.encrypted);
  if (encrypted) return encrypted.error;
  const handshake = failures.find(({ error }) => error.step === 'tls');
  const plain = failures.find(({ error }) => error.step !== 'tls');
  return plain?.error.code === 'no_encryption' && handshake ? handshake.error : (plain ?? handshake)?.error;
}

async function negotiate(opening: Opening, wish: TlsWish): Promise<TargetSession> {
  const failures: Failure[] = [];
  for (const attempt of opening.plan.attempts) {
    // Plain was refused already: `prefer` on a server without TLS.
    const plainFailed = failures.some(({ encrypted, error }) => !encrypted && error.step !== 'tls');
    if (attempt.tls === 'never' && plainFailed) break;
    try {
      return await attemptOnce(opening, attempt, wish);
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      failures.push(error.failure);
    }
  }
  throw mostTelling(failures) ?? new Error('no attempt was made');
}

async function open(
  settings: TargetSettings,
  deadline: Deadline,
  options: OpenOptions & { timer: StepTimer },
) {
  const { timer, lookup = lookupHost } = options;
  const plan = tlsPlan(settings.ssl_mode, settings.ssl_root_cert_path !== undefined);
  timer.start('resolve');
  const addresses = await deadline.race(resolveHost(settings, lookup));
  timer.done({ addresses });
  const speaksTls = plan.attempts.some(({ tls }) => tls !== 'never');
  timer.start('tls');
  const context = await secureContext(plan, speaksTls ? settings : {});
  return negotiate(
    { settings, deadline, plan, addresses, timer },
    { host: settings.host, plan, context, signal: deadline.signal },
  );
}

const SLOW: Record<OpeningStep, (settings: TargetSettings) => string> = {
  resolve: ({ host }) => `DNS gave no answer for ${host} in time.`,
  connect: ({ host, port }) =>
    `${host} port ${port} did not answer in time. Check the address, and firewalls that drop packets silently.`,
  tls: ({ host }) => `${host} accepted the connection but did not answer the request for TLS in time.`,
  sign_in: ({ host }) => `${host} accepted the connection but did not finish signing in in time.`,
};

function explain(
  error: unknown,
  settings: TargetSettings,
  where: { deadline: Deadline; step: OpeningStep },
): TargetError {
  const { deadline, step } = where;
  if (error instanceof TargetError && error.code === UNFINISHED) return error;
  if (deadline.cancelled) {
    return new TargetError({ step: 'timeout', message: 'Connecting was given up.', code: 'cancelled' });
  }
  const late = deadline.signal.aborted || (error instanceof Error && error.name === 'TimeoutError');
  if (late)
    return new TargetError({ step: 'timeout', message: SLOW[step](settings), code: `${step}_timeout` });
  return wireError(error, settings, step);
}

/** As connectTarget, with a resolver of one's own and news of each step. */
export function openTarget(settings: TargetSettings, options: OpenOptions = {}): Promise<TextClient> {
  return withFetchedPassword(settings, options.signal, (ready) => openWithin(ready, options));
}

async function openWithin(settings: TargetSettings, options: OpenOptions): Promise<TextClient> {
  const earlier = unfinishedSignIn(settings);
  if (earlier) throw earlier;
  const deadline = new Deadline(settings.connect_timeout_ms, options.signal);
  const timer = new StepTimer(options.onStep);
  try {
    return await withStartupLimits(settings, (unlimited) =>
      withStartupEncoding(unlimited, (ready) => open(ready, deadline, { ...options, timer })),
    );
  } catch (error) {
    throw explain(error, settings, { deadline, step: timer.step });
  } finally {
    deadline.end();
  }
}

/** Opens a session on a monitored server. Rejects with a TargetError. */
export function connectTarget(settings: TargetSettings, signal?: AbortSignal): Promise<TextClient> {
  return openTarget(settings, { signal });
}
