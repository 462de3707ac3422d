// An open session on a monitored server. Guards: every statement ends, because the answer comes, the server's own
// timeout strikes, or ours destroys the socket of a server that has stopped talking.
import pg from 'pg';
import { readyAgain } from '../kernel/driver.ts';
import { withVisibleName } from '../kernel/statement-name.ts';
import type { ExpectedReply, GuardedStream } from './guarded-stream.ts';
import { Preludes, type SessionValues, type Way } from './own-session.ts';
import { PreparedNames, type PreparedStatement } from './prepared-names.ts';
import { RawQuery } from './raw-query.ts';
import type { Asking, PendingReply, ReplyLimits, TextClient, TextTable } from './settings.ts';
import {
  droppedError,
  explainWire,
  statementError,
  TargetError,
  type TargetFacts,
  wireError,
} from './target-error.ts';
import { WireError } from './wire-messages.ts';

/** How much later than the server's statement timeout we give up ourselves. */
const GRACE_MS = 2000;
const GOODBYE_MS = 1000;

interface Sent {
  result: Promise<pg.QueryResult>;
  free(): void;
}

/** Told once how a statement ended. */
type Done = (error: unknown, result?: pg.QueryResult) => void;

export interface SessionParts {
  client: pg.Client;
  stream: GuardedStream;
  facts: TargetFacts;
  statement_timeout_ms: number;
  pipeline: boolean;
  address: string;
  tls: boolean;
  /** Of the database, as the server calls it. */
  encoding: string;
  /** What is in force for every statement. */
  values: SessionValues;
}

interface Configured {
  text: string;
  values: unknown[];
  named: PreparedStatement | undefined;
  rowMode?: 'array';
  types?: pg.CustomTypesConfig;
}

/** How a statement is put, and what goes before it. */
interface Put extends Asking {
  before?: number;
  messages?: Buffer;
}

/** What the driver tells of an answer beside its rows, which nobody asks of statements whose rows it does not get. */
const UNTOLD = { command: '', rowCount: null, oid: 0, fields: [] };

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

function textTable({ fields, rows, rowCount }: pg.QueryResult): TextTable {
  const columns = fields.map(({ name, dataTypeID, dataTypeModifier }) => ({
    name,
    type_oid: dataTypeID,
    type_modifier: dataTypeModifier,
  }));
  return { columns, rows: rows as unknown as TextTable['rows'], row_count: rowCount };
}

export class TargetSession implements TextClient {
  readonly address: string;
  readonly tls: boolean;
  server_version_num = 0;
  server_version = '';
  backend_pid = 0;
  isAbandoned = false;
  readonly #parts: SessionParts;
  readonly #pending = new Set<(error: TargetError) => void>();
  readonly #lostCallbacks: ((error: TargetError) => void)[] = [];
  readonly #names = new PreparedNames();
  #watchdog: NodeJS.Timeout | undefined;
  #ended: TargetError | undefined;
  #lost = false;
  #held = false;
  readonly #preludes: Preludes;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.address = parts.address;
    this.tls = parts.tls;
    const { client } = parts;
    this.#preludes = new Preludes(parts.values, parts.statement_timeout_ms);
    client.on('error', (error) => this.#lose(this.#explain(error)));
    client.on('end', () => this.#lose(this.#dropped({ code: 'ECONNRESET' })));
  }

  get way(): Way {
    return this.#preludes.way;
  }

  /** Sends the message that readies the session, of several statements without values, and answers the last one's rows. */
  async first<T extends object>(text: string, before: number, limits: ReplyLimits): Promise<T[]> {
    const { result, free } = this.#send({ text, values: [], named: undefined }, { ...limits, before });
    return result.then(({ rows }) => rows as unknown as T[]).finally(free);
  }

  /** Elsewhere than on a direct way nothing is prepared under a name, since names stay. */
  readied(way: Way, isolation: string): void {
    this.#preludes.readied(way, isolation);
    if (way !== 'direct') this.#names.leave();
  }

  query<T extends object>(text: string, values: readonly unknown[] = [], how?: Asking): Promise<T[]> {
    const { rows, free } = this.ask<T>(text, values, how);
    return rows.finally(free);
  }

  ask<T extends object>(text: string, values: readonly unknown[] = [], how: Asking = {}): PendingReply<T> {
    const { result, free } = this.#inTurn(() => this.#configured(text, values, how), how);
    return { rows: result.then(({ rows }) => rows as T[]), free };
  }

  async table(text: string, values: readonly unknown[] = [], how: Asking = {}): Promise<TextTable> {
    const configured = () =>
      ({ ...this.#configured(text, values, how), rowMode: 'array', types: asText }) as const;
    const { result, free } = this.#inTurn(configured, how);
    return result.then(textTable).finally(free);
  }

  #configured(text: string, values: readonly unknown[], how: Asking): Configured {
    const named = how.isRepeated ? this.#names.of(text) : undefined;
    return { text: named?.text ?? withVisibleName(text), values: [...values], named };
  }

  #inTurn(configured: () => Configured, how: Asking): Sent {
    if (this.#parts.pipeline) return this.#send(configured(), how);
    let free = () => {};
    const result = this.#tail.then(() => {
      const sent = this.#send(configured(), how);
      free = sent.free;
      return sent.result;
    });
    this.#tail = result.catch(() => undefined);
    return { result, free: () => free() };
  }

  #send(query: Configured, how: Put): Sent {
    if (this.#ended) return { result: Promise.reject(this.#ended), free: () => {} };
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    this.#pending.add(reject);
    this.#watch();
    this.#hold();
    const done: Done = (error, result) => {
      this.#pending.delete(reject);
      this.#watch();
      if (result) resolve(result);
      else reject(this.#ended ?? this.#explain(error));
    };
    const isRaw = how.isRaw === true || query.named !== undefined;
    const put = how.before === undefined ? { ...how, ...this.#preludes.of(how) } : how;
    const reply = isRaw ? this.#sendRaw(query, put, done) : this.#sendPlain(query, put, done);
    return { result: promise, free: () => reply.free() };
  }

  /** By a callback, as raw ones: a promise of the driver settles later, and so behind answers that came after it. */
  #sendPlain({ named: _, ...query }: Configured, how: Put, done: Done): ExpectedReply {
    const reply = this.#parts.stream.expect(how, how.messages);
    const isFirst = how.before !== undefined && how.messages === undefined;
    const sent = isFirst
      ? { text: query.text }
      : { ...query, queryMode: how.isSimple ? 'simple' : 'extended' };
    this.#parts.client.query(sent, (error: Error | undefined, result: pg.QueryResult) =>
      error ? done(error) : done(undefined, result),
    );
    return reply;
  }

  #sendRaw(query: Configured, how: Put, done: Done): ExpectedReply {
    const { named } = query;
    const known = this.#names.fieldsOf(named?.name);
    const reply = this.#parts.stream.expect({ ...how, isRaw: true, known: known?.count }, how.messages);
    const raw = new RawQuery({ ...query, known, encoding: this.#parts.encoding }, (error) => {
      if (error) return done(error);
      const { fields } = raw;
      if (!known) this.#names.answered(named?.name, fields);
      const rows = reply.rawRows(fields);
      let read: Record<string, unknown>[] | undefined;
      try {
        read = how.isRaw ? undefined : rows.map((row) => row.read());
      } catch (bad) {
        return done(bad);
      }
      done(undefined, { ...UNTOLD, rows: read ?? rows });
    });
    this.#parts.client.query(raw as unknown as pg.Submittable);
    return reply;
  }

  /** What is sent at the same moment leaves in one piece instead of a few writes for each statement. */
  #hold(): void {
    if (this.#held) return;
    this.#held = true;
    const { stream } = this.#parts;
    stream.hold();
    process.nextTick(() => {
      this.#held = false;
      stream.release();
    });
  }

  #dropped(error: unknown): TargetError {
    const { facts } = this.#parts;
    return this.backend_pid === 0 ? wireError(error, facts, 'connect') : droppedError(error, facts);
  }

  #explain(error: unknown): TargetError {
    const { facts } = this.#parts;
    if (error instanceof pg.DatabaseError) {
      // Tables have changed under what was prepared, so that its columns have, too: the name is of no use any more.
      if (error.routine === 'RevalidateCachedQuery') error.code = '26000';
      this.#names.refused(error.code);
      return statementError(error, facts);
    }
    if (error instanceof WireError) return explainWire(error, facts);
    if (error instanceof Error && 'code' in error) return this.#dropped(error);
    if (error instanceof Error && /^Connection terminated/.test(error.message))
      return this.#dropped({ code: 'ECONNRESET' });
    const message = 'The server sent a value that cannot be read.';
    return new TargetError({ step: 'protocol', message, code: 'bad_value', cause: error });
  }

  /** Starts the time of the oldest open statement anew; a server that answers nothing in time is given up. */
  #watch(): void {
    if (this.#pending.size === 0 || this.#ended) {
      clearTimeout(this.#watchdog);
      this.#watchdog = undefined;
      return;
    }
    const giveUp = () => {
      // It is we who do not read.
      if (this.#parts.stream.isHeldUp) return this.#watch();
      const message = 'The server stopped answering, so the connection was closed.';
      this.#lose(new TargetError({ step: 'timeout', message, code: 'no_answer' }));
    };
    if (this.#watchdog) this.#watchdog.refresh();
    else this.#watchdog = setTimeout(giveUp, this.#parts.statement_timeout_ms + GRACE_MS);
  }

  #lose(error: TargetError): void {
    if (this.#ended) return;
    this.#lost = true;
    this.#end(error);
    for (const callback of this.#lostCallbacks.splice(0)) callback(error);
  }

  #end(error: TargetError): void {
    this.#ended = error;
    this.isAbandoned = this.#pending.size > 0 && (error.code === 'closed' || error.code === 'no_answer');
    clearTimeout(this.#watchdog);
    this.#parts.stream.destroy();
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }

  onLost(callback: (error: TargetError) => void): void {
    if (this.#lost && this.#ended) callback(this.#ended);
    else this.#lostCallbacks.push(callback);
  }

  destroy(): void {
    if (this.#ended) return;
    this.#end(new TargetError({ step: 'connect', message: 'The connection was closed.', code: 'closed' }));
  }

  /** Under a client that leaves before the server is ready again, a pooler ends the session that is the application's next. */
  async #leave(): Promise<void> {
    if (this.way !== 'direct') await readyAgain(this.#parts.client);
    await this.#parts.client.end();
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    if (this.#pending.size > 0) return this.destroy();
    this.#ended = new TargetError({ step: 'connect', message: 'The connection was closed.', code: 'closed' });
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GOODBYE_MS);
    await Promise.race([this.#leave().catch(() => undefined), promise]);
    clearTimeout(timer);
    this.#parts.stream.destroy();
  }
}
