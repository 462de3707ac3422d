// Statements of one tick, sent together over a pipelined session. Each is a transaction of its own, so one that
// fails fails alone. Guards: a pipeline always ends, and says for each statement whether it was answered, refused, the
// one at which the session broke, or never reached; whoever takes the answers one by one holds one at a time, and the
// server is not read further than there is room for.
import { systemClock } from '../kernel/clock.ts';
import {
  type PendingReply,
  type ReplyLimits,
  type TargetClient,
  TargetError,
} from '../kernel/target/connect.ts';
import { statementTimeout } from './target.queries.ts';

export interface Statement {
  text: string;
  /** Server-side timeout; the session's own when absent. */
  timeoutMs?: number;
  /** The most that its answer may be. */
  limits?: ReplyLimits;
}

export type Answer =
  | { kind: 'answered'; rows: Record<string, unknown>[]; took_ms: number; elapsed_ms: number }
  /** `broke`: the session ended here, so everything after it is not reached. */
  | { kind: 'refused'; error: TargetError; took_ms: number; elapsed_ms: number; broke: boolean }
  | { kind: 'unreached'; error: TargetError };

export interface PipelineSession {
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

type Row = Record<string, unknown>;

interface Settled {
  rows?: Row[];
  error?: TargetError;
  at: number;
  /** The session was gone when this became known. */
  lost: boolean;
}

interface Sent {
  reply: PendingReply<Row>;
  settled: Promise<Settled>;
  wanted: boolean;
}

async function settle(session: PipelineSession, rows: Promise<Row[]>): Promise<Settled> {
  const now = () => ({ at: systemClock.monotonic(), lost: session.lost() });
  try {
    return { rows: await rows, ...now() };
  } catch (thrown) {
    return { error: asTargetError(thrown), ...now() };
  }
}

const ONE_VALUE: ReplyLimits = { columns: 1, rows: 1, bytes: 4096 };

/** Sends everything at once, with a change of timeout before each statement that wants another one. */
function send(session: PipelineSession, statements: readonly Statement[]): Sent[] {
  let current = session.statementTimeoutMs;
  const sent: Sent[] = [];
  const put = (text: string, wanted: boolean, limits?: ReplyLimits) => {
    const reply = session.client.ask(text, [], limits);
    sent.push({ reply, settled: settle(session, reply.rows), wanted });
  };
  for (const { text, timeoutMs = session.statementTimeoutMs, limits } of statements) {
    if (timeoutMs !== current) put(statementTimeout(timeoutMs), false, ONE_VALUE);
    current = timeoutMs;
    put(text, true, limits);
  }
  if (current !== session.statementTimeoutMs)
    put(statementTimeout(session.statementTimeoutMs), false, ONE_VALUE);
  return sent;
}

/** The server says that it ends the session; that the socket closes is noticed only later. */
const FATAL = /^57P0[1235]$/;

export interface PipelineOptions {
  /** The session is destroyed when the first answer takes longer: it tells whether the server lives. */
  firstWithinMs?: number;
}

/** Gives the session up when `first` does not come in time; answers the error that this was, once it was. */
function watchFirst(session: PipelineSession, first: Sent | undefined, ms: number | undefined) {
  let silence: TargetError | undefined;
  if (ms === undefined || !first) return () => silence;
  const limit = setTimeout(() => {
    const message = 'The server stopped answering, so the connection was closed.';
    silence = new TargetError({ step: 'timeout', message, code: 'no_answer' });
    session.client.destroy();
  }, ms);
  void first.settled.then(() => clearTimeout(limit));
  return () => silence;
}

/** In the order of the statements; each is freed when the next is asked for. `took_ms` is the time since the one before. */
export async function* answersOf(
  session: PipelineSession,
  statements: readonly Statement[],
  { firstWithinMs }: PipelineOptions = {},
): AsyncGenerator<Answer> {
  const start = systemClock.monotonic();
  const sent = send(session, statements);
  const silence = watchFirst(session, sent[0], firstWithinMs);
  let before = start;
  let broke: TargetError | undefined;
  try {
    for (const { reply, settled, wanted } of sent) {
      if (broke) {
        if (wanted) yield { kind: 'unreached', error: broke };
        continue;
      }
      const { rows, error: thrown, at, lost } = await settled;
      const error = thrown && (silence() ?? thrown);
      if (error && (lost || FATAL.test(error.code))) broke = error;
      const times = { took_ms: toMicroseconds(at - before), elapsed_ms: toMicroseconds(at - start) };
      before = at;
      if (wanted && rows) yield { kind: 'answered', rows, ...times };
      if (wanted && error) yield { kind: 'refused', error, broke: broke !== undefined, ...times };
      reply.free();
    }
  } finally {
    for (const { reply } of sent) reply.free();
  }
}

/** All answers together, for few and small ones. Never rejects. */
export async function runPipeline(
  session: PipelineSession,
  statements: readonly Statement[],
  options: PipelineOptions = {},
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for await (const answer of answersOf(session, statements, options)) answers.push(answer);
  return answers;
}
