// Statements of one tick, sent together over a pipelined session. Each is a transaction of its own, so one that
// fails fails alone. Guards: a batch always ends, and says for each statement whether it was answered, refused, the
// one at which the session broke, or never reached.
import { systemClock } from '../kernel/clock.ts';
import { type TargetClient, TargetError } from '../kernel/target/connect.ts';
import { statementTimeout } from './target.queries.ts';

export interface Statement {
  text: string;
  /** Server-side timeout; the session's own when absent. */
  timeoutMs?: number;
}

export type Answer =
  | { kind: 'answered'; rows: Record<string, unknown>[]; took_ms: number; elapsed_ms: number }
  /** `broke`: the session ended here, so everything after it is not reached. */
  | { kind: 'refused'; error: TargetError; took_ms: number; elapsed_ms: number; broke: boolean }
  | { kind: 'unreached'; error: TargetError };

export interface BatchSession {
  client: TargetClient;
  /** Timeout that the server applies when a statement asks for no other. */
  statementTimeoutMs: number;
  /** Says whether the session is gone. */
  lost(): boolean;
}

/** What anything thrown by a session means. */
export function asTargetError(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const message = 'The session on the server broke in an unexpected way.';
  return new TargetError({ step: 'protocol', message, code: 'unexpected', cause: error });
}

/** Digits beyond a microsecond are noise of the clock. */
const toMicroseconds = (ms: number) => Math.round(ms * 1000) / 1000;

interface Sent {
  rows: Promise<Record<string, unknown>[]>;
  wanted: boolean;
}

/** Sends everything at once, with a change of timeout before each statement that wants another one. */
function send(session: BatchSession, statements: readonly Statement[]): Sent[] {
  let current = session.statementTimeoutMs;
  const sent: Sent[] = [];
  const put = (text: string, wanted: boolean) => {
    const rows = session.client.query(text);
    rows.catch(() => undefined);
    sent.push({ rows, wanted });
  };
  for (const { text, timeoutMs = session.statementTimeoutMs } of statements) {
    if (timeoutMs !== current) put(statementTimeout(timeoutMs), false);
    current = timeoutMs;
    put(text, true);
  }
  if (current !== session.statementTimeoutMs) put(statementTimeout(session.statementTimeoutMs), false);
  return sent;
}

/** The server says that it ends the session; that the socket closes is noticed only later. */
const FATAL = /^57P0[1235]$/;

export interface BatchOptions {
  /** The session is destroyed when the first answer takes longer: it tells whether the server lives. */
  firstWithinMs?: number;
}

/** Answers in the order of the statements. `took_ms` is the time since the answer before. Never rejects. */
export async function runBatch(
  session: BatchSession,
  statements: readonly Statement[],
  { firstWithinMs }: BatchOptions = {},
): Promise<Answer[]> {
  const start = systemClock.monotonic();
  let silence: TargetError | undefined;
  const giveUp = () => {
    const message = 'The server stopped answering, so the connection was closed.';
    silence = new TargetError({ step: 'timeout', message, code: 'no_answer' });
    session.client.destroy();
  };
  const limit = firstWithinMs === undefined ? undefined : setTimeout(giveUp, firstWithinMs);
  const answers: Answer[] = [];
  let before = start;
  let broke: TargetError | undefined;
  for (const { rows, wanted } of send(session, statements)) {
    if (broke) {
      if (wanted) answers.push({ kind: 'unreached', error: broke });
      continue;
    }
    const settled = await settle(rows);
    const answer = settled.error && silence ? { error: silence } : settled;
    clearTimeout(limit);
    if (answer.error && (session.lost() || FATAL.test(answer.error.code))) broke = answer.error;
    const now = systemClock.monotonic();
    const times = { took_ms: toMicroseconds(now - before), elapsed_ms: toMicroseconds(now - start) };
    before = now;
    if (!wanted) continue;
    if (answer.rows) answers.push({ kind: 'answered', rows: answer.rows, ...times });
    else answers.push({ kind: 'refused', error: answer.error, broke: broke !== undefined, ...times });
  }
  clearTimeout(limit);
  return answers;
}

type Settled =
  | { rows: Record<string, unknown>[]; error?: undefined }
  | { rows?: undefined; error: TargetError };

async function settle(rows: Promise<Record<string, unknown>[]>): Promise<Settled> {
  try {
    return { rows: await rows };
  } catch (thrown) {
    return { error: asTargetError(thrown) };
  }
}
