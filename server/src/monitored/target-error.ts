// Everything that can go wrong between us and a monitored server, as a step and a plain sentence. Guards: neither
// the server's own message nor a secret ever reaches the public text; what the server said stays in `cause`, cut.

import { errorCode } from '../kernel/errors.ts';
import { cutText } from '../kernel/inert-text.ts';
import type { SslMode } from '../kernel/server-address/ssl-mode.ts';
import {
  CLOSED,
  LIMIT_REACHED,
  LOGIN_TRIGGER,
  NO_SUCH_ROLE,
  POOLER_REFUSED,
  POOLER_WAITS,
  ROLE_REFUSED,
  STARTUP_STATES,
} from './startup-words.ts';
import { AUTHORIZATION, SOCKET_WORDS, STATES, sessionDropped, TLS_WORDS, tlsBroken } from './target-words.ts';
import { WireError } from './wire-messages.ts';

export type TargetStep =
  | 'resolve'
  | 'connect'
  | 'tls'
  | 'sign_in'
  | 'database'
  | 'permission'
  | 'statement'
  | 'timeout'
  | 'protocol';

export interface TargetErrorFields {
  step: TargetStep;
  /** Says what failed and what to do. */
  message: string;
  /** The SQLSTATE, the socket's or TLS library's code, or a word of ours in lower case. */
  code: string;
  cause?: unknown;
}

export class TargetError extends Error {
  readonly step: TargetStep;
  readonly code: string;

  constructor({ step, message, code, cause }: TargetErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TargetError';
    this.step = step;
    this.code = code;
  }
}

/** What the sentences may name: facts the owner of the connection typed in. */
export interface TargetFacts {
  host: string;
  port: number;
  database: string;
  username: string;
  ssl_mode: SslMode;
}

const CAUSE_LIMIT = 300;

/** The server's words for the log: short, on one line, without control characters. */
function serverCause(code: string, message: string): Error {
  const cut = cutText(message, CAUSE_LIMIT).replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  const cause = new Error(`${code}: ${cut}`);
  cause.stack = '';
  return cause;
}

export interface ServerRefusal {
  code?: string | undefined;
  message?: string | undefined;
  detail?: string | undefined;
  /** The function of the server that refused, which is never translated. */
  routine?: string | undefined;
  /** The lines of the functions that were running. */
  where?: string | undefined;
}

/** Of a session that starts: by SQLSTATE, or by its class. */
const startupWords = ({ code = '' }: ServerRefusal) =>
  STARTUP_STATES.get(code) ?? STARTUP_STATES.get(code.slice(0, 2));

const poolerWaits = (state: string, said: string) =>
  state === '08P01' ? POOLER_WAITS.find(([pattern]) => pattern.test(said))?.[1] : undefined;

/** A refusal by the server while signing in: told apart by what is never translated, and finer where the server speaks English. */
export function signInError(refusal: ServerRefusal, facts: TargetFacts): TargetError {
  const state = refusal.code ?? 'XX000';
  const said = (refusal.message ?? '').slice(0, 1000);
  const cause = serverCause(state, said);
  // Nothing but functions of the database itself says where it failed, with whatever SQLSTATE they like.
  if (refusal.where) return new TargetError({ ...LOGIN_TRIGGER(facts), code: state, cause });
  if (state === '28000') {
    const known = AUTHORIZATION.find(([pattern]) => pattern.test(said));
    if (known) return new TargetError({ ...known[2](facts), code: known[1], cause });
    if (refusal.routine === NO_SUCH_ROLE)
      return new TargetError({ ...ROLE_REFUSED(facts), code: state, cause });
  }
  if (state === '42501') {
    const message = `${facts.username} has no CONNECT privilege on the database ${facts.database}. Run: grant connect on database … to ${facts.username}.`;
    return new TargetError({ step: 'permission', message, code: state, cause });
  }
  const closed =
    state === '57P03' && CLOSED.find(([pattern]) => pattern.test(`${said} ${refusal.detail ?? ''}`));
  if (closed) return new TargetError({ ...closed[1](facts), code: state, cause });
  const words =
    poolerWaits(state, said) ??
    (state === '53300' ? LIMIT_REACHED.get(refusal.routine ?? '') : undefined) ??
    (state === '08P01' ? POOLER_REFUSED : (STATES.get(state) ?? startupWords({ code: state })));
  if (words) return new TargetError({ ...words(facts), code: state, cause });
  const message = `The server refused the session (SQLSTATE ${printableState(state)}).`;
  return new TargetError({ step: 'sign_in', message, code: state, cause });
}

/** A refusal by the server while a statement runs. */
export function statementError(refusal: ServerRefusal, facts: TargetFacts): TargetError {
  const state = refusal.code ?? 'XX000';
  const cause = serverCause(state, refusal.message ?? '');
  const words = poolerWaits(state, (refusal.message ?? '').slice(0, 1000)) ?? STATES.get(state);
  if (words) {
    const { step, message } = words(facts);
    // Here somebody was signed in already.
    return new TargetError({ step: step === 'sign_in' ? 'connect' : step, message, code: state, cause });
  }
  const message = `The server refused a statement (SQLSTATE ${printableState(state)}).`;
  return new TargetError({ step: 'statement', message, code: state, cause });
}

function printableState(state: string): string {
  return /^[0-9A-Z]{5}$/.test(state) ? state : 'unknown';
}

/** A failure of the socket, the resolver or the TLS library; `fallback` is the step when the code says nothing. */
export function wireError(error: unknown, facts: TargetFacts, fallback: TargetStep): TargetError {
  if (error instanceof TargetError) return error;
  const code = errorCode(error) ?? 'unknown';
  const tls = TLS_WORDS.find(([pattern]) => pattern.test(code));
  if (tls) return new TargetError({ ...tls[1](facts), code, cause: error });
  const words = fallback === 'tls' ? tlsBroken : SOCKET_WORDS.get(code);
  if (words) return new TargetError({ ...words(facts), code, cause: error });
  const message = `The connection to ${facts.host} port ${facts.port} failed.`;
  return new TargetError({ step: fallback, message, code, cause: error });
}

const DROPPED = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** As wireError, of a session that was open: something did listen there. */
export function droppedError(error: unknown, facts: TargetFacts): TargetError {
  const code = errorCode(error) ?? 'unknown';
  if (!DROPPED.has(code)) return wireError(error, facts, 'connect');
  return new TargetError({ ...sessionDropped(facts), code, cause: error });
}

/** What broke the wire, in words; statements have their own. */
export function explainWire(error: unknown, facts: TargetFacts): TargetError {
  if (error instanceof WireError && error.reason === 'too_large') {
    const limit = error.limit === undefined ? '' : ` (${error.limit})`;
    const message = `The server sent a larger reply than is accepted${limit}, so the connection was closed.`;
    return new TargetError({ step: 'protocol', message, code: 'reply_too_large', cause: error });
  }
  if (error instanceof WireError) {
    const message = `What answers on ${facts.host} port ${facts.port} does not speak PostgreSQL's protocol correctly.`;
    return new TargetError({ step: 'protocol', message, code: 'bad_message', cause: error });
  }
  return wireError(error, facts, 'connect');
}
