// Statements of one tick, sent together over a pipelined session. Each is a transaction of its own, so one that
// fails fails alone. Guards: a pipeline always ends, and says for each statement whether it was answered, refused, the
// one at which the session broke, or never reached; whoever takes the answers one by one holds one at a time, and the
// server is not read further than there is room for.
import { systemClock } from '../kernel/clock.ts';
import { idleMs } from '../kernel/idle.ts';
import { type Asking, type PendingReply, type TargetClient, TargetError } from '../monitored/connect.ts';
import { statementTimeout } from './target.queries.ts';

export interface Statement {
  text: string;
  /** Of its parameters. */
  values?: readonly unknown[];
  /** Server-side timeout; a few seconds at least when absent. */
  timeoutMs?: number;
  /** The most that its answer may be, and whether it is asked again and again. */
  how?: Asking;
}

export interface Times {
  /** Since the answer before. */
  took_ms: number;
  /** Of that the server's part: without what kept us busy ourselves, once that is more than a trifle. */
  server_ms: number;
  /** Since everything was sent. */
  elapsed_ms: number;
}

export type Answer =
  | ({ kind: 'answered'; rows: Record<string, unknown>[] } & Times)
  /** `broke`: the session ended here, so everything after it is not reached. */
  | ({ kind: 'refused'; error: TargetError; broke: boolean } & Times)
  | { kind: 'unreached'; error: TargetError };

export interface PipelineSession {
  client: TargetClient;
  /** The server's statement timeout, in ms: what it was at first, and as it is now; undefined when that is not known. */
  readonly timeouts: { readonly usual: number; inForce: number | undefined };
  /** It stays open, so that what is asked again and again is worth preparing. */
  isKept?: boolean;
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
  /** What `idleMs` said then. */
  idle: number;
  /** The session was gone when this became known. */
  lost: boolean;
}

interface Sent {
  reply: PendingReply<Row>;
  settled: Promise<Settled>;
  wanted: boolean;
}

async function settle(session: PipelineSession, rows: Promise<Row[]>): Promise<Settled> {
  const now = () => ({ at: systemClock.monotonic(), idle: idleMs(), lost: session.lost() });
  try {
    return { rows: await rows, ...now() };
  } catch (thrown) {
    return { error: asTargetError(thrown), ...now() };
  }
}

const CHANGE: Asking = { columns: 1, rows: 1, bytes: 4096, isRepeated: true };
/** Enough for statements that ask for no timeout of their own. */
const ENOUGH_MS = 5000;

/** Whether a statement that wants `timeoutMs` may run under the timeout in force. */
function suits({ inForce }: PipelineSession['timeouts'], timeoutMs: number | undefined): boolean {
  if (inForce === undefined) return false;
  return timeoutMs === undefined ? inForce >= ENOUGH_MS : inForce === timeoutMs;
}

/** Sends everything at once, with a change of timeout before each statement that wants another one than is in force. */
function send(session: PipelineSession, statements: readonly Statement[]): Sent[] {
  const { timeouts } = session;
  const sent: Sent[] = [];
  const isOurs = session.client.way === 'direct';
  const put = ({ text, values = [], how = {}, timeoutMs = timeouts.usual }: Statement, wanted: boolean) => {
    const { isRepeated = false, ...limits } = how;
    const asking = { ...limits, isRepeated: isRepeated && session.isKept === true, timeoutMs };
    const reply = session.client.ask(text, values, asking);
    sent.push({ reply, settled: settle(session, reply.rows), wanted });
  };
  for (const statement of statements) {
    const { timeoutMs } = statement;
    if (isOurs && !suits(timeouts, timeoutMs)) {
      timeouts.inForce = timeoutMs ?? timeouts.usual;
      put({ text: statementTimeout(timeouts.inForce), how: CHANGE }, false);
    }
    put(statement, true);
  }
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

/** So long we may have been busy ourselves without its being told from the server's time; or for so large a part. */
const TRIFLE_MS = 2;
const TRIFLE_SHARE = 0.25;

/** The part of a wait that the server took. While we were busy it may have worked as well, but nobody knows for how long. */
function serverPart(took_ms: number, idle_ms: number): number {
  const busy = took_ms - idle_ms;
  return busy <= Math.max(TRIFLE_MS, took_ms * TRIFLE_SHARE) ? took_ms : Math.max(0, idle_ms);
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
  let before = { at: start, idle: idleMs() };
  let broke: TargetError | undefined;
  try {
    for (const { reply, settled, wanted } of sent) {
      if (broke) {
        if (wanted) yield { kind: 'unreached', error: broke };
        continue;
      }
      const { rows, error: thrown, at, idle, lost } = await settled;
      const error = thrown && (silence() ?? thrown);
      if (error && (lost || FATAL.test(error.code))) broke = error;
      if (error && !wanted) session.timeouts.inForce = undefined;
      const took_ms = toMicroseconds(at - before.at);
      const server_ms = toMicroseconds(serverPart(took_ms, idle - before.idle));
      const times = { took_ms, server_ms, elapsed_ms: toMicroseconds(at - start) };
      before = { at, idle };
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
