// Whether a session on a server is ours alone, and what goes before each statement where it may be somebody else's next: a pooler
// hands the same session to applications. Guards: until it is proven that nobody else gets the session, every setting ends with
// the transaction of the statement that it is for; nothing that is sent first needs a snapshot or the time that a role allows.
import { withVisibleName } from '../kernel/statement-name.ts';
import { message } from './prepared-names.ts';

/**
 * `direct`: the server's process is the one that signed us in, and it sees our own socket. `pooled`: it is another process, or was there
 * before us. `unproven`: addresses are translated between here and there, by a proxy or a pooler that passes everything on.
 */
export type Way = 'direct' | 'unproven' | 'pooled';

export type SessionValues = Readonly<Record<string, string>>;

/**
 * What changes the meaning or the form of an answer, or could keep it from coming, whatever the role, the database or the server set. Left
 * alone are settings that only superusers change (`lc_messages`, `log_*`, `track_*`, `temp_file_limit`, `session_replication_role`)
 * and those that make plans slower and nothing else (`enable_*`, costs).
 */
export const FIXED_SETTINGS: SessionValues = {
  role: 'none',
  client_encoding: 'UTF8',
  search_path: 'pg_catalog, pg_temp',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  xmlbinary: 'base64',
  xmloption: 'content',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  escape_string_warning: 'off',
  backslash_quote: 'safe_encoding',
  row_security: 'on',
  restrict_nonsystem_relation_kind: '',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  transaction_timeout: '0',
  idle_session_timeout: '0',
  exit_on_error: 'off',
  plan_cache_mode: 'auto',
  force_parallel_mode: 'off',
  debug_parallel_query: 'off',
  debug_print_parse: 'off',
  debug_print_rewritten: 'off',
  debug_print_plan: 'off',
  client_min_messages: 'error',
};

/** Messages of the server about its own work, such as each read of a block (`debug5`, 18+), would be larger than an answer may be. */
const QUIET = 'set /* target.quiet */ local client_min_messages = error';
/** Needs no snapshot, and so is possible where the role's isolation is not: on a standby, or while somebody writes. */
// The name is behind the first word, where every version keeps it (kernel/statement-name.ts).
const ISOLATION = `set /* target.isolation */ transaction_isolation = 'read committed'`;
/** The role's own limit is in force from the first message on; the next message starts without one. */
const UNHURRIED = `select /* target.time */ pg_catalog.set_config('statement_timeout', '0', true)`;
/** Runs from the start of the transaction on, and ends the session (17+). */
const UNLIMITED = `select /* target.limit */ pg_catalog.set_config('transaction_timeout', '0', true)
where pg_catalog.current_setting('transaction_timeout', true) is not null`;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
const list = (texts: readonly string[]) => `array[${texts.map(literal).join(', ')}]`;
/** Of a setting `w`. Of MULE_INTERNAL a server makes no UTF-8, and of SQL_ASCII only what is UTF-8 already: bytes come as they are. */
export const SETTING_VALUE = `case
  when w.name operator(pg_catalog.=) 'client_encoding'
    and pg_catalog.current_setting('server_encoding') operator(pg_catalog.=) any (array['MULE_INTERNAL', 'SQL_ASCII']) then 'SQL_ASCII'
  else w.value
end`;
const wanted = (values: SessionValues, isLocal: string) => `(
    select pg_catalog.count(pg_catalog.set_config(w.name, ${SETTING_VALUE}, ${isLocal}))
    from rows from (
      pg_catalog.unnest(${list(Object.keys(values))}), pg_catalog.unnest(${list(Object.values(values))})
    ) as w (name, value)
    where pg_catalog.current_setting(w.name, true) is not null
  )`;

/** As it is named in ledgers; what is sent has values in it. */
export const PREPARE = '/* target.session */ select';

const FIRST_WITH_TRANSACTION_TIMEOUT = 170_000;
/** Statements of the first message before the one that answers: none of them may answer with rows. */
export const firstBefore = ({ version_num }: { version_num: number }): readonly string[] => [
  ...(version_num >= FIRST_WITH_TRANSACTION_TIMEOUT
    ? ['set /* target.limit */ local transaction_timeout = 0']
    : []),
  'set /* target.time */ local statement_timeout = 0',
  `set /* target.isolation */ local transaction_isolation = 'read committed'`,
  QUIET,
];

export interface OurSession {
  /** Of the process that signed us in. */
  pid: number;
  /** Of our socket. */
  port: number;
  /** As the server said while signing in; 0: it did not. */
  version_num: number;
}

/**
 * Readies a session, as one message of several statements and one transaction. Settings last for the session where it is ours alone, and for
 * this message elsewhere.
 */
export const firstMessage = (values: SessionValues, ours: OurSession): string =>
  `${firstBefore(ours).join(';\n')};
${withVisibleName(PREPARE)} pg_catalog.pg_backend_pid() as backend_pid,
  pg_catalog.current_setting('server_version_num')::pg_catalog.int4 as server_version_num,
  pg_catalog.current_setting('default_transaction_isolation') as isolation,
  seen.is_direct,
  (
    select pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() operator(pg_catalog.-) a.backend_start)
    from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) a
    limit 1
  ) as age_seconds,
  ${wanted(values, 'not seen.is_direct')} as applied
from (
  select coalesce(
    pg_catalog.pg_backend_pid() operator(pg_catalog.=) ${Math.trunc(ours.pid)}
      and pg_catalog.inet_client_port() operator(pg_catalog.=) ${Math.trunc(ours.port)},
    false
  ) as is_direct
  offset 0
) seen`;

const { search_path: _, ...OTHERS } = FIXED_SETTINGS;
/** All of them but the search path, for whoever begins a transaction. */
export const TRANSACTION_SETTINGS = { names: Object.keys(OTHERS), values: Object.values(OTHERS) };

/** What goes before a statement in a session that may be somebody else's next. */
function preludeOf({ default_transaction_read_only, ...others }: SessionValues, isolation: string): string[] {
  // What is the default of transactions is nothing to one that has begun.
  const own = default_transaction_read_only && { transaction_read_only: default_transaction_read_only };
  const settings = `select /* target.local */ ${wanted({ ...others, ...own }, 'true')}`;
  return [...(isolation === 'serializable' ? [ISOLATION] : []), QUIET, UNHURRIED, UNLIMITED, settings];
}

const BIND = message('B', Buffer.alloc(8));
const EXECUTE = message('E', Buffer.alloc(5));

/**
 * The messages of statements before a statement, without the Sync that would end their transaction: all of it is one transaction, which the
 * server ends by itself, also when any of it is refused.
 */
const preludeMessages = (statements: readonly string[]): Buffer =>
  Buffer.concat(statements.flatMap((text) => [message('P', Buffer.from(`\0${text}\0\0\0`)), BIND, EXECUTE]));

interface Prelude {
  readonly before: number;
  readonly messages: Buffer;
}

const preludeMade = (statements: readonly string[]): Prelude => ({
  before: statements.length,
  messages: preludeMessages(statements),
});

/** What goes before the statements of one session. */
export class Preludes {
  way: Way = 'unproven';
  #isolation = '';
  readonly #values: SessionValues;
  readonly #usualMs: number;
  /** By the statement's timeout. */
  readonly #made = new Map<number, Prelude>();

  constructor(values: SessionValues, usualMs: number) {
    this.#values = values;
    this.#usualMs = usualMs;
  }

  readied(way: Way, isolation: string): void {
    this.way = way;
    this.#isolation = isolation;
  }

  /** Undefined: nothing goes before it. */
  of(how: {
    readonly timeoutMs?: number | undefined;
    readonly isInTransaction?: boolean;
  }): Prelude | undefined {
    if (this.way === 'direct' || how.isInTransaction === true) return undefined;
    const ms = how.timeoutMs ?? this.#usualMs;
    const made = this.#made.get(ms) ?? this.#make(ms);
    this.#made.set(ms, made);
    return made;
  }

  #make(ms: number): Prelude {
    const values = { ...this.#values, statement_timeout: String(Math.trunc(ms)) };
    return preludeMade(preludeOf(values, this.#isolation));
  }
}

/** A session that is so much older than our connection was there before. */
const MARGIN_MS = 1000;

export function wayOf(
  row: { readonly backend_pid?: number; readonly is_direct?: boolean; readonly age_seconds?: number | null },
  ours: { readonly pid: number; readonly age_ms: number },
): Way {
  if (row.is_direct === true) return 'direct';
  const isOlder = (row.age_seconds ?? 0) * 1000 > ours.age_ms + MARGIN_MS;
  return row.backend_pid !== ours.pid || isOlder ? 'pooled' : 'unproven';
}

/** Of a way that is `pooled`. */
export const poolerWords = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `A connection pooler answers on ${host} port ${port}: it gives the same sessions of the server to applications. Every setting ends with its statement, and nothing is prepared there, so applications notice nothing; index advice is not tried. Enter the address of the server itself to watch it whole.`;
