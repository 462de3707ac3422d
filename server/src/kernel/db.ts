// The datastore, as statements in and rows out. The only file that makes a Pool. Rows keep the column names of the
// statement; timestamps arrive as RFC 3339 text in UTC, 64-bit integers as numbers while they are exact.

import { Socket } from 'node:net';
import pg from 'pg';
import { systemClock } from './clock.ts';
import { awayFault, isUnreachable, NodeAway } from './datastore-errors.ts';
import { processIdOf } from './driver.ts';
import { errorCode, Fault } from './errors.ts';
import { Heartbeat } from './heartbeat.ts';
import { cutText } from './inert-text.ts';
import type { Part } from './lifecycle.ts';
import type { Log } from './log.ts';
import { type Answer, NamedQuery } from './named-query.ts';
import { poolFigures } from './pool-figures.ts';
import { types } from './row-values.ts';
import type { Secret } from './secret.ts';
import { cancelStatement, clientOptions, LEAVE_MS, STATEMENT_MS, settle } from './session.ts';
import type { Sql } from './sql.ts';
import { visibleText, withVisibleName } from './statement-name.ts';
import { answered } from './under-way.ts';
import { Wait } from './wait.ts';

export { isUnreachable, NodeAway };

export interface Db {
  /** All rows of one statement. */
  rows<T extends object>(statement: Sql): Promise<T[]>;
  /** The only row, or undefined when there is none. */
  maybe<T extends object>(statement: Sql): Promise<T | undefined>;
  /** The only row; a statement that returns none is a fault of ours. */
  one<T extends object>(statement: Sql): Promise<T>;
  /** Runs a statement and answers how many rows it touched. */
  run(statement: Sql): Promise<number>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. Nested calls join. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Of one whose statements end with a request (leaving.ts): what it is one of, and when they end. */
  readonly base?: Db;
  readonly signal?: AbortSignal;
}

/** The same, of what this file itself has thrown. */
const isAway = (error: unknown) =>
  !(error instanceof NodeAway) &&
  (isUnreachable(error) || (error instanceof Fault && error.code === 'unavailable'));

const DATASTORE_AWAY = 'The datastore cannot be reached. Try again in a moment.';
const SILENT = 'The datastore does not answer. Try again in a moment.';
const STOPPING = 'Matriarch is stopping.';

/** A session of the pool while somebody has it. */
interface Lent {
  client: pg.PoolClient;
  waiting: Wait;
  /** What to say when the datastore turns out to be away. */
  reason(): string;
  /** Has the server end what that session of it is at. */
  cancel(pid: number): Promise<void>;
}

/**
 * A process that was cut off in the middle of a transaction leaves a session that holds its locks, on which TCP gives up
 * only after hours. Two statements in one message.
 */
const BEGIN = 'begin; set local idle_in_transaction_session_timeout = 20000';

/** Waits for the driver, whose errors say where they were read from the socket, and not who asked. */
function ask(client: pg.PoolClient, { text, values, name }: Sql): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null | undefined, answer: Answer | undefined) => {
      if (answer) return resolve(answer);
      const cause = error ?? new Error('the driver answered nothing');
      Error.captureStackTrace(cause);
      reject(cause);
    };
    if (name === undefined)
      client.query({ text: withVisibleName(text), values: [...values] }, (error, result) =>
        done(error, result && { rows: result.rows, row_count: result.rowCount ?? 0 }),
      );
    else client.query(new NamedQuery({ text: visibleText(name, text), name, values: [...values] }, done));
  });
}

const hasLeft = () => new Fault('unavailable', 'The request was given up before it was answered.');

async function send(lent: Lent, statement: Sql): Promise<Answer> {
  const { client, waiting, reason } = lent;
  const { signal } = statement;
  if (signal?.aborted) throw hasLeft();
  const pid = processIdOf(client);
  let ending: Promise<void> | undefined;
  const end = () => {
    ending = lent.cancel(pid);
  };
  signal?.addEventListener('abort', end, { once: true });
  waiting.statement = { since: systemClock.monotonic(), pid };
  try {
    const answer = await ask(client, statement);
    answered();
    return answer;
  } catch (cause) {
    throw awayFault(cause, reason) ?? (signal?.aborted ? hasLeft() : cause);
  } finally {
    waiting.statement = undefined;
    signal?.removeEventListener('abort', end);
    // Nobody else gets this session before it is certain that no statement of theirs is ended in place of this one.
    await ending;
  }
}

type Ask = (statement: Sql) => Promise<Answer>;

function bind(ask: Ask, transaction: Db['transaction']): Db {
  return {
    transaction,
    rows: async <T extends object>(statement: Sql) => (await ask(statement)).rows as T[],
    maybe: async <T extends object>(statement: Sql) => (await ask(statement)).rows[0] as T | undefined,
    async one<T extends object>(statement: Sql) {
      const row = (await ask(statement)).rows[0] as T | undefined;
      if (row === undefined) throw new Error(`statement returned no row: ${cutText(statement.text, 80)}`);
      return row;
    },
    run: async (statement) => (await ask(statement)).row_count,
  };
}

export interface DatabaseOptions {
  url: Secret;
  log: Log;
  applicationName: string;
  /** Most connections this process keeps open; waiting for one takes at most 5 s. */
  max?: number;
  /** What is known of why the datastore is away, as a sentence for whoever asks meanwhile. */
  whyAway?: () => string | undefined;
  /** Where unqualified names are looked for, in place of our schemas: of tests that move the datastore's clock. */
  searchPath?: string;
}

/**
 * A connection pool on the datastore, with its schemas on the search path and a statement timeout of 30 s. A datastore
 * that does not answer is given up after SILENT_AFTER_MS, with every session on it.
 */
export class Database implements Db, Part {
  readonly name = 'datastore-pool';
  readonly #pool: pg.Pool;
  readonly #sockets = new Set<Socket>();
  readonly #heartbeat: Heartbeat;
  readonly #whyAway: () => string | undefined;
  readonly #cancel: (pid: number) => Promise<void>;
  #isStopping = false;
  #failures = 0;
  readonly rows: Db['rows'];
  readonly maybe: Db['maybe'];
  readonly one: Db['one'];
  readonly run: Db['run'];

  constructor(settings: DatabaseOptions) {
    const { url, log, applicationName, max = 10, whyAway = () => undefined, searchPath } = settings;
    const client = clientOptions(url, applicationName, searchPath);
    this.#whyAway = whyAway;
    this.#cancel = (pid) => cancelStatement({ url, applicationName }, pid);
    this.#pool = new pg.Pool({
      ...client,
      max,
      connectionTimeoutMillis: 5000,
      query_timeout: STATEMENT_MS + 3000,
      idleTimeoutMillis: 60_000,
      types,
      onConnect: settle,
      stream: () => this.#socket(),
    });
    this.#pool.on('error', (error) => {
      // What has been told to end may be ended by the server first.
      if (!this.#isStopping) log.warn({ event: 'datastore.connection_lost', code: errorCode(error) });
    });
    // A server may take leave in the same packet in which it lets us in, before anybody listens: that ends no process.
    this.#pool.on('connect', (connected) => void connected.on('error', () => undefined));
    const closeAll = () => this.#closeAll();
    this.#heartbeat = new Heartbeat({ client, clock: systemClock, log, closeAll });
    const ask: Ask = (statement) => this.#lend((lent) => send(lent, statement));
    const bound = bind(ask, (work) => this.transaction(work));
    this.rows = bound.rows;
    this.maybe = bound.maybe;
    this.one = bound.one;
    this.run = bound.run;
  }

  /** Ours to close, so that a session whose other side is frozen can be thrown away at once. */
  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#lend(async (lent) => {
      const joined = bind(
        (statement) => send(lent, statement),
        (nested) => nested(joined),
      );
      await send(lent, { text: BEGIN, values: [] });
      try {
        const result = await work(joined);
        await send(lent, { text: 'commit', values: [] });
        return result;
      } catch (error) {
        if (!isAway(error)) await lent.client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Lends a raw client, for COPY and LISTEN; a client whose work failed on the wire is thrown away. COPY knows no timeout
   * of its own: a datastore that swallows everything would hold the caller for ever, so it may set one for all its work.
   */
  withClient<T>(work: (client: pg.PoolClient) => Promise<T>, withinMs?: number): Promise<T> {
    return this.#lend(({ client }) => work(client), withinMs);
  }

  readonly #reason = () => this.#whyAway() ?? DATASTORE_AWAY;

  #away(sentence: string): Fault {
    return new Fault('unavailable', sentence);
  }

  async #lend<T>(work: (lent: Lent) => Promise<T>, withinMs?: number): Promise<T> {
    // A part that did not end in time may still ask; to it the datastore is away.
    if (this.#isStopping) throw this.#away(STOPPING);
    const silent = () => this.#away(this.#whyAway() ?? SILENT);
    if (this.#heartbeat.isSilent) throw silent();
    const waiting = new Wait(silent);
    const late = () => waiting.lose(this.#away(this.#reason()));
    const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
    const end = this.#heartbeat.begin(waiting);
    try {
      const client = await this.#connect(waiting);
      return await this.#use({ client, waiting, reason: this.#reason, cancel: this.#cancel }, work);
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  async #connect(waiting: Wait): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    try {
      return await waiting.orLost(connecting);
    } catch (cause) {
      // Whoever has given up takes no client; one that comes later goes back.
      connecting.then(
        (late) => late.release(true),
        () => undefined,
      );
      this.#failures += 1;
      if (isUnreachable(cause)) throw new Fault('unavailable', this.#reason(), { cause });
      throw cause;
    }
  }

  async #use<T>(lent: Lent, work: (lent: Lent) => Promise<T>): Promise<T> {
    const { client, waiting } = lent;
    let broken = false;
    // The pool listens only to idle clients; one that is lost between two statements would end the process.
    const end = () => {
      broken = true;
    };
    client.on('error', end);
    try {
      return await waiting.orLost(work(lent));
    } catch (error) {
      broken ||= isAway(error);
      this.#failures += Number(broken);
      throw error;
    } finally {
      client.off('error', end);
      client.release(broken);
    }
  }

  readonly figures = () => poolFigures(this.#pool, this.#failures);

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#heartbeat.stop();
    const force = setTimeout(() => this.#closeAll(), LEAVE_MS);
    await this.#pool.end().finally(() => clearTimeout(force));
  }
}
