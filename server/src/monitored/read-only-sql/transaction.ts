// One transaction in which one statement is read, on a session that was opened for it and is closed after it. Guards: the transaction is
// read-only before the statement is known to the server and is rolled back whatever happens; rows, bytes and time are capped on both
// sides; the server's own words reach only whoever wrote the statement.
import { systemClock } from '../../kernel/clock.ts';
import type { StatementParser } from '../../kernel/parser/parser.ts';
import { TargetError, type TextClient, type TextTable, TRANSACTION_SETTINGS } from '../connect.ts';
import { isBuiltIn } from './functions.ts';
import { type JudgedStatement, judge, type Purpose } from './judge.ts';
import { NAMES } from './names.queries.ts';
import { askedNames, demandNames } from './names.ts';
import { qualified } from './qualify.ts';
import { ROLE } from './role.queries.ts';
import { type RolePowers, rolePowers } from './role.ts';
import * as queries from './session.queries.ts';
import { withoutSecrets } from './settings.ts';
import { demandGrammar, demandSpelling } from './spelling.ts';
import { StatementRefused } from './types.ts';

export interface SessionOptions {
  readonly client: TextClient;
  readonly parser: Pick<StatementParser, 'parse'>;
  /** For all of it. */
  readonly timeout_ms: number;
  /** A statement was sent, and refused or not. */
  readonly ran?: (text: string, failed: boolean) => void;
  /** Somebody decided that a superuser's session may be used. */
  readonly allow_superuser: boolean;
  /** Of the server; the transaction has to be in that process, which a pooler may not give. */
  readonly backend_pid?: number;
}

const OWN_LIMITS = { columns: 16, rows: 1664, bytes: 4 * 1024 * 1024, isInTransaction: true };
const SQLSTATE = /^[0-9A-Z]{5}$/;
const NO_VALUES = /^bind message supplies \d+ parameters/;
/** As PgBouncer says it. */
const NO_TRANSACTIONS = /statement pooling mode/;
const GRACE_MS = 1000;

/** A refusal by the server as something to tell whoever wrote the statement; anything else stays as it is. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof TargetError)) return error;
  if (error.code === '57014')
    return new StatementRefused('time', 'It took longer than it may and was cancelled.', error.code);
  if (error.code === 'no_answer' || error.code === 'closed')
    return new StatementRefused(
      'time',
      'It took longer than it may, and the server did not cancel it. It counts as one of your questions to servers until it has ended there.',
      error.code,
    );
  const said =
    error.cause instanceof Error ? error.cause.message.replace(/^[0-9A-Z]{5}: /, '') : error.message;
  // Its parameters were given no values: the server is there, and says so.
  if (error.code === '08P01' && NO_VALUES.test(said))
    return new StatementRefused('server', 'It has parameters ($1): put values in their place.', error.code);
  if (error.code === '08P01' && NO_TRANSACTIONS.test(said))
    return new StatementRefused(
      'server',
      'The connection pooler in front of this server pools single statements (pool_mode = statement) and allows no transactions, so no SQL is run there. Use a connection to the address of the server itself.',
      error.code,
    );
  if (!SQLSTATE.test(error.code) || /^(?:08|57P|28)/.test(error.code)) return error;
  return new StatementRefused('server', said, error.code);
}

/** What can be said before anybody asks a server. Throws StatementRefused. */
export async function demandReading(
  parser: SessionOptions['parser'],
  text: string,
  purpose: Purpose = 'read',
): Promise<JudgedStatement> {
  const parsed = await parser.parse(text);
  if (parsed.kind === 'refused') throw new StatementRefused('syntax', parsed.message);
  return judge(parsed, purpose);
}

export class ReadTransaction {
  readonly #options: SessionOptions;
  readonly #deadline: number;
  #hasPrepared = false;

  private constructor(options: SessionOptions) {
    this.#options = options;
    this.#deadline = systemClock.monotonic() + options.timeout_ms;
  }

  /** Rolls back at the end, whatever the work does. Throws StatementRefused, or a TargetError when the session broke. */
  static async within<T>(options: SessionOptions, work: (own: ReadTransaction) => Promise<T>): Promise<T> {
    const own = new ReadTransaction(options);
    const timer = setTimeout(() => options.client.destroy(), options.timeout_ms + GRACE_MS);
    try {
      await own.#begin();
      return await work(own);
    } catch (error) {
      throw refusalOf(error);
    } finally {
      clearTimeout(timer);
      // A session that is lost has no transaction any more.
      await own.#forget().catch(() => undefined);
      await own.query(queries.ROLLBACK).catch(() => undefined);
    }
  }

  /** Values as the collector reads them, of statements of our own. */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.#noted(text, this.#options.client.query(text, values, OWN_LIMITS));
  }

  table(
    text: string,
    values: readonly unknown[],
    limits: { rows: number; bytes: number; isSimple?: boolean },
  ): Promise<TextTable> {
    return this.#noted(
      text,
      this.#options.client.table(text, values, { ...limits, columns: 1664, isInTransaction: true }),
    );
  }

  /** What has no answer: the server knows it by a name until the transaction ends. */
  async prepare(text: string, limits: { rows: number; bytes: number }): Promise<void> {
    const isOurs = this.#options.client.way === 'direct';
    if (!isOurs) await this.query(queries.SAVEPOINT);
    await this.table(queries.prepare(text), [], limits);
    this.#hasPrepared = !isOurs;
  }

  /** Whoever gets the session next must not find it there. */
  async #forget(): Promise<void> {
    if (!this.#hasPrepared) return;
    await this.query(queries.TO_SAVEPOINT);
    await this.query(queries.DEALLOCATE);
  }

  /** Tells the server how much time is left; throws when there is none. */
  async spend(): Promise<void> {
    const left = Math.ceil(this.#deadline - systemClock.monotonic());
    if (left <= 0) throw new StatementRefused('time', 'It took longer than it may and was cancelled.');
    await this.query(queries.TIMEOUT, [String(left)]);
  }

  /** The text as it may be sent, after a look at what its names stand for here. */
  async placed(text: string, judged: JudgedStatement): Promise<string> {
    const { statement } = judged;
    const { parser, allow_superuser } = this.#options;
    const role = await this.role();
    if (role.is_superuser && !allow_superuser) throw superuserRefused(role);
    const unknown = statement.uses.filter(
      ({ of, parts }) =>
        of === 'function' && (parts.length > 1 ? parts[0] !== 'pg_catalog' : !isBuiltIn(parts[0] ?? '')),
    );
    const [row] = await this.query(NAMES, askedNames(judged, unknown));
    demandSpelling(statement, row?.encoding);
    demandGrammar(statement, row?.version);
    const parse = (definition: string) => parser.parse(definition);
    const places = await demandNames({ row: row ?? {}, unknown, parse });
    const { definitions, schemaOf } = places;
    const query = (own: string, values?: readonly unknown[]) => this.query(own, values);
    return withoutSecrets({ text, judged, definitions, schemaOf, query }, (own) =>
      qualified(own, statement.uses, places.functions),
    );
  }

  role(): Promise<RolePowers> {
    return this.query(ROLE).then(([row]) => rolePowers(row));
  }

  async #begin(): Promise<void> {
    const { backend_pid, client } = this.#options;
    const isOurs = client.way === 'direct';
    // It lasts for the session, and not every system can look whether a client is still there.
    if (isOurs)
      await this.query(queries.CHECK_CLIENT).catch((error: unknown) => {
        if (!(error instanceof TargetError && SQLSTATE.test(error.code))) throw error;
      });
    await this.query(queries.BEGIN);
    const { names, values } = TRANSACTION_SETTINGS;
    const [row] = await this.query(queries.SETTINGS, [
      String(this.#options.timeout_ms),
      names,
      values,
      !isOurs,
    ]);
    if (row?.read_only !== 'on')
      throw new StatementRefused('server', 'The server did not begin a read-only transaction.');
    if (backend_pid !== undefined && row.pid !== backend_pid)
      throw new StatementRefused(
        'server',
        'There is a pooler in front of the server, so that sessions cannot be told apart.',
      );
  }

  async #noted<T>(text: string, answer: Promise<T>): Promise<T> {
    try {
      const answered = await answer;
      this.#options.ran?.(text, false);
      return answered;
    } catch (error) {
      this.#options.ran?.(text, true);
      throw error;
    }
  }
}

function superuserRefused({ name }: RolePowers): StatementRefused {
  return new StatementRefused(
    'role',
    `The connection signs in as ${name}, a superuser, for whom a read-only transaction is no limit. Use a connection with a role that may only read, or allow it for this connection.`,
  );
}
