// From a connected socket to a signed-in session. Guards: nothing of this process's environment (PGPASSWORD,
// PGOPTIONS, PGSSLMODE, .pgpass …) reaches a monitored server, and the password is revealed only when it is asked for.

import type { Socket } from 'node:net';
import pg from 'pg';
import { systemClock } from '../kernel/clock.ts';
import { controlStartup, processIdOf } from '../kernel/driver.ts';
import { cutText } from '../kernel/inert-text.ts';
import { keepSaltedPasswords } from '../kernel/salted-passwords.ts';
import type { Deadline } from './deadline.ts';
import { guardStream } from './guarded-stream.ts';
import { FIXED_SETTINGS, firstBefore, firstMessage, type OurSession, wayOf } from './own-session.ts';
import { TargetSession } from './session.ts';
import type { TargetSettings } from './settings.ts';
import { explainWire, signInError, TargetError, type TargetFacts } from './target-error.ts';
import { leaveWaiting } from './unfinished-sign-ins.ts';
import { exactTypes } from './values.ts';
import { WireError } from './wire-messages.ts';

const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const OLDEST_MAJOR = 10;

/** The server itself said no, which lets `allow` and `prefer` try their other way. */
export class SignInRefused extends Error {
  readonly error: TargetError;

  constructor(error: TargetError) {
    super(error.message);
    this.error = error;
  }
}

export interface ReadySocket {
  socket: Socket;
  address: string;
  tls: boolean;
}

async function reveal(settings: TargetSettings, address: string): Promise<string> {
  const fetched = await settings.fetched_password?.fetch(address);
  const password = (fetched ?? settings.password)?.reveal() ?? '';
  if (password !== '') return password;
  const message = `The server asks for a password for ${settings.username}, and none is stored for this connection.`;
  throw new TargetError({ step: 'sign_in', message, code: 'password_needed' });
}

function makeClient(settings: TargetSettings, stream: ReturnType<typeof guardStream>, address: string) {
  keepSaltedPasswords();
  const client = new pg.Client({
    host: 'monitored',
    port: settings.port,
    user: settings.username,
    database: settings.database,
    password: () => reveal(settings, address),
    ssl: false,
    sslnegotiation: 'postgres',
    pipeline: settings.pipeline === true,
    types: exactTypes as unknown as pg.CustomTypesConfig,
    stream: () => stream.duplex,
  });
  return { client, ...controlStartup(client, settings.startup_options, settings.startup_encoding) };
}

function explain(error: unknown, facts: TargetFacts): Error {
  if (error instanceof TargetError) return error;
  if (error instanceof pg.DatabaseError) return new SignInRefused(signInError(error, facts));
  if (error instanceof WireError) return explainWire(error, facts);
  if (error instanceof Error && /^SASL|^Unknown authentication/.test(error.message)) {
    const message =
      'The server asks for a way to sign in that is not supported, or could not prove itself. Use scram-sha-256, md5 or a client certificate.';
    return new TargetError({ step: 'sign_in', message, code: 'unsupported_sign_in', cause: error });
  }
  if (error instanceof Error && /^Connection terminated/.test(error.message)) {
    return explainWire({ code: 'ECONNRESET' }, facts);
  }
  const isParser = error instanceof Error && !('code' in error);
  return explainWire(isParser ? new WireError('garbage') : error, facts);
}

/** As in `180004`, of what the server writes as `18.4 (Debian 18.4-1)` or `19beta1`; undefined: it cannot be told. */
export function versionNumber(version: string): number | undefined {
  const [, major, minor = '0'] = /^(\d{2,3})(?:\.(\d{1,3}))?/.exec(version) ?? [];
  return major === undefined ? undefined : Number(major) * 10_000 + Number(minor);
}

interface Readied {
  readonly backend_pid: number;
  readonly server_version_num: number;
  readonly isolation: string;
  readonly is_direct: boolean;
  readonly age_seconds: number | null;
}

const valuesOf = (settings: TargetSettings) => ({
  ...FIXED_SETTINGS,
  application_name: settings.application_name,
  statement_timeout: String(settings.statement_timeout_ms),
  ...settings.session,
});

interface Ours extends OurSession {
  /** Monotonic. */
  since: number;
}

async function prepare(session: TargetSession, settings: TargetSettings, ours: Ours): Promise<void> {
  const wanted = valuesOf(settings);
  const limits = { columns: 6, rows: 1, bytes: 64 * 1024 };
  const [row] = await session.first<Readied>(firstMessage(wanted, ours), firstBefore(ours).length, limits);
  session.backend_pid = row?.backend_pid ?? 0;
  session.server_version_num = row?.server_version_num ?? session.server_version_num;
  const way = wayOf(row ?? {}, { pid: ours.pid, age_ms: systemClock.monotonic() - ours.since });
  session.readied(way, row?.isolation ?? '');
}

/** Refuses what is too old even to be asked politely. Supported versions are a matter of the caller. */
function checkVersion(version: string): void {
  const major = Number.parseInt(version, 10);
  if (Number.isNaN(major) || major >= OLDEST_MAJOR) return;
  const message = `The server runs PostgreSQL ${cutText(version, 20)}, which is too old to be monitored (14 or newer is needed).`;
  throw new TargetError({ step: 'protocol', message, code: 'unsupported_version' });
}

/** Signs in on a socket and readies the session. Throws SignInRefused or TargetError; the socket is then closed. */
export async function signIn(
  ready: ReadySocket,
  settings: TargetSettings,
  deadline: Deadline,
): Promise<TargetSession> {
  const facts: TargetFacts = settings;
  const port = ready.socket.localPort ?? 0;
  const since = systemClock.monotonic();
  const stream = guardStream(ready.socket, settings.max_socket_bytes ?? MAX_REPLY_BYTES);
  const { client, connection, forgetPassword } = makeClient(settings, stream, ready.address);
  let version = '';
  let encoding = 'UTF8';
  connection.on('parameterStatus', (message: { parameterName: string; parameterValue: string }) => {
    if (message.parameterName === 'server_version') version = message.parameterValue;
    if (message.parameterName === 'server_encoding') encoding = message.parameterValue;
  });
  let isBegun = false;
  for (const asked of ['authenticationSASL', 'authenticationMD5Password', 'authenticationCleartextPassword'])
    connection.on(asked, () => {
      isBegun = true;
    });
  // The server may end the session before anything is asked, and the driver then says only that nothing can be.
  let ended: unknown;
  client.on('error', (error) => {
    ended ??= error;
  });
  const connecting = client.connect();
  try {
    await deadline.race(connecting);
    isBegun = false;
    forgetPassword();
    checkVersion(version);
    const { statement_timeout_ms, pipeline = false } = settings;
    const { address, tls } = ready;
    const values = valuesOf(settings);
    const parts = { client, stream, facts, statement_timeout_ms, pipeline, address, tls, values, encoding };
    const session = new TargetSession(parts);
    session.server_version = version;
    session.server_version_num = versionNumber(version) ?? 0;
    const ours = { pid: processIdOf(client), port, since, version_num: session.server_version_num };
    await deadline.race(prepare(session, settings, ours));
    return session;
  } catch (error) {
    if (isBegun && deadline.signal.aborted && !deadline.cancelled) {
      void connecting.catch(() => undefined).then(() => stream.destroy());
      throw leaveWaiting(facts, ready.socket, since);
    }
    stream.destroy();
    throw deadline.signal.aborted ? error : explain(ended instanceof pg.DatabaseError ? ended : error, facts);
  }
}
