// The datastore, as statements in and rows out. The only file that makes a Pool. Rows keep the column names of the
// statement; timestamps arrive as RFC 3339 text in UTC, 64-bit integers as numbers while they are exact.
import pg from 'pg';
import { Fault } from './errors.ts';
import type { Part } from './lifecycle.ts';
import type { Log } from './log.ts';
import type { Secret } from './secret.ts';
import type { Sql } from './sql.ts';
import { withVisibleName } from './statement-name.ts';

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
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;

function exactNumber(value: string): number | string {
  const parsed = Number(value);
  return Number.isSafeInteger(parsed) ? parsed : value;
}

function isoTime(value: string): string {
  if (value === 'infinity' || value === '-infinity') return value;
  return new Date(value.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
}

const parsers = new Map<number, (value: string) => unknown>([
  [INT8, exactNumber],
  [TIMESTAMPTZ, isoTime],
]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format);
  },
};

/** The server gives a statement up after this; we give the connection up a little later, for then nobody answers. */
const STATEMENT_MS = 30_000;

type Runner = Pick<pg.ClientBase, 'query'>;

const UNREACHABLE = /^(08|57P|53[23])/;
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The SQLSTATE or socket error code of whatever was thrown, if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** True when the datastore is away rather than unwilling. */
export function isUnreachable(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined && (UNREACHABLE.test(code) || SOCKET_ERRORS.has(code))) return true;
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|timeout expired|Query read timeout/i.test(
      error.message,
    )
  );
}

const PROBLEMS: Record<string, string> = {
  '28P01': 'the password is not right.',
  '28000': 'the server does not let this user in (pg_hba.conf).',
  '3D000': 'there is no such database. Create it, or name another.',
  '42501': 'the user may not create what Matriarch needs. Grant it create on the database.',
  '53300': 'the server has no free connection.',
  ENOTFOUND: 'the host name is not known.',
  EAI_AGAIN: 'the host name cannot be resolved now.',
  ECONNREFUSED: 'nothing listens at that address and port.',
  ETIMEDOUT: 'the server does not answer.',
  EHOSTUNREACH: 'there is no way to that address.',
};

/** A sentence for the ways in which a datastore that somebody named turns out unusable; undefined for the rest. */
export function datastoreProblem(error: unknown): string | undefined {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const known = PROBLEMS[errorCode(cause) ?? ''];
  return known ?? (isUnreachable(cause) ? 'the server cannot be reached.' : undefined);
}

/** The same, of what this file itself has thrown. */
const isAway = (error: unknown) =>
  isUnreachable(error) || (error instanceof Fault && error.code === 'unavailable');

export const DATASTORE_AWAY = 'The datastore cannot be reached. Try again in a moment.';

async function send(runner: Runner, statement: Sql): Promise<pg.QueryResult> {
  try {
    const { text, values, name } = statement;
    return await runner.query({
      text: withVisibleName(text),
      values: [...values],
      ...(name !== undefined && { name }),
    });
  } catch (cause) {
    if (isUnreachable(cause)) throw new Fault('unavailable', DATASTORE_AWAY, { cause });
    throw cause;
  }
}

function bind(runner: Runner, transaction: Db['transaction']): Db {
  return {
    transaction,
    rows: async <T extends object>(statement: Sql) => (await send(runner, statement)).rows as T[],
    maybe: async <T extends object>(statement: Sql) =>
      (await send(runner, statement)).rows[0] as T | undefined,
    async one<T extends object>(statement: Sql) {
      const row = (await send(runner, statement)).rows[0] as T | undefined;
      if (row === undefined) throw new Error(`statement returned no row: ${statement.text.slice(0, 80)}`);
      return row;
    },
    run: async (statement) => (await send(runner, statement)).rowCount ?? 0,
  };
}

export interface DatabaseOptions {
  url: Secret;
  log: Log;
  applicationName: string;
  /** Most connections this process keeps open; waiting for one takes at most 5 s. */
  max?: number;
}

/** A connection pool on the datastore, with its schemas on the search path and a statement timeout of 30 s. */
export class Database implements Db, Part {
  readonly name = 'datastore-pool';
  readonly #pool: pg.Pool;
  readonly rows: Db['rows'];
  readonly maybe: Db['maybe'];
  readonly one: Db['one'];
  readonly run: Db['run'];

  constructor({ url, log, applicationName, max = 10 }: DatabaseOptions) {
    this.#pool = new pg.Pool({
      ...clientOptions(url, applicationName),
      max,
      connectionTimeoutMillis: 5000,
      query_timeout: STATEMENT_MS + 3000,
      idleTimeoutMillis: 60_000,
      types,
    });
    this.#pool.on('error', (error) =>
      log.warn({ event: 'datastore.connection_lost', code: errorCode(error) }),
    );
    const bound = bind(this.#pool as unknown as Runner, (work) => this.transaction(work));
    this.rows = bound.rows;
    this.maybe = bound.maybe;
    this.one = bound.one;
    this.run = bound.run;
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.withClient(async (client) => {
      const joined = bind(client, (nested) => nested(joined));
      await client.query('begin');
      try {
        const result = await work(joined);
        await client.query('commit');
        return result;
      } catch (error) {
        if (!isAway(error)) await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Lends a raw client, for COPY and LISTEN; a client whose work failed on the wire is thrown away. COPY knows no timeout
   * of its own: a datastore that swallows everything would hold the caller for ever, so it may set one for all its work.
   */
  async withClient<T>(work: (client: pg.PoolClient) => Promise<T>, withinMs?: number): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (cause) {
      if (isUnreachable(cause)) throw new Fault('unavailable', DATASTORE_AWAY, { cause });
      throw cause;
    }
    let broken = false;
    // The pool listens only to idle clients; one that is lost between two statements would end the process.
    const lost = () => {
      broken = true;
    };
    client.on('error', lost);
    const deadline = Promise.withResolvers<never>();
    const late = () => deadline.reject(new Fault('unavailable', DATASTORE_AWAY));
    const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
    try {
      return await Promise.race([work(client), deadline.promise]);
    } catch (error) {
      broken ||= isAway(error);
      throw error;
    } finally {
      clearTimeout(timer);
      client.off('error', lost);
      client.release(broken);
    }
  }

  async stop(): Promise<void> {
    await this.#pool.end();
  }
}

/** Options for a single client on the datastore, outside the pool (migrations, LISTEN). */
export function clientOptions(url: Secret, applicationName: string): pg.ClientConfig {
  return {
    connectionString: url.reveal(),
    application_name: applicationName,
    statement_timeout: STATEMENT_MS,
    options: '-c search_path=matriarch,metrics,public -c timezone=UTC',
    keepAlive: true,
  };
}
