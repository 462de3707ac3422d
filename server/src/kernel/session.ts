// Single sessions on the datastore, outside the pool, and the options that all sessions share. Guards: statements of a
// single session may take as long as they need, but nobody waits for a server that does not answer at all.
import { Socket } from 'node:net';
import pg from 'pg';
import { systemClock } from './clock.ts';
import { datastoreClient } from './datastore-url.ts';
import { Fault } from './errors.ts';
import { Heartbeat } from './heartbeat.ts';
import { silentLog } from './log.ts';
import type { Secret } from './secret.ts';

/** The server gives a statement up after this; we give the connection up a little later, for then nobody answers. */
export const STATEMENT_MS = 30_000;

/** A server that is frozen does not take leave: after this its connections are closed without. */
export const LEAVE_MS = 1500;

/**
 * What the role, the database or the server may have set otherwise, and what changes the meaning of a statement or of its answer. Said when
 * a session begins, so that no statement of it runs without; all of them are settings that every role may change.
 */
const IN_FORCE: Readonly<Record<string, string>> = {
  search_path: 'matriarch,metrics,public',
  timezone: 'UTC',
  datestyle: 'ISO,MDY',
  intervalstyle: 'postgres',
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
  backslash_quote: 'safe_encoding',
  check_function_bodies: 'on',
  row_security: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  // Where the driver says nothing: it takes 0 for nothing.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  exit_on_error: 'off',
  plan_cache_mode: 'auto',
  // Statements of ours are short, and of what they join the planner expects far more rows than there are: starting other
  // processes for one would take longer than all of it, and take them from others.
  max_parallel_workers_per_gather: '0',
};

const OPTIONS = Object.entries(IN_FORCE)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ');

/**
 * The same of settings that came with PostgreSQL 17 or went with 19, and of one that superusers alone may change: a server would end the
 * session at its beginning. Without triggers nothing cascades, and the audit log could be changed.
 */
const NOT_EVERYWHERE: Readonly<Record<string, string>> = {
  escape_string_warning: 'off',
  session_replication_role: 'origin',
  transaction_timeout: '0',
  restrict_nonsystem_relation_kind: '',
};

const literal = (text: string) => `'${text}'`;
const SETTLE = `/* session.settle */ select pg_catalog.set_config(s.name, s.value, false)
  from rows from (
    pg_catalog.unnest(array[${Object.keys(NOT_EVERYWHERE).map(literal).join(', ')}]),
    pg_catalog.unnest(array[${Object.values(NOT_EVERYWHERE).map(literal).join(', ')}])
  ) as s (name, value)
  where pg_catalog.current_setting(s.name, true) <> s.value`;

/**
 * A role may be made to take another (alter role … set role). Kept where that one may use our tables, as where it has owned them since the
 * first start; undone where they belong to the role that signed in.
 */
const OWN_ROLE = `/* session.role */ select pg_catalog.set_config('role', 'none', false)
  from pg_catalog.pg_namespace n
  where n.nspname = 'matriarch'
    and pg_catalog.current_setting('role') <> 'none'
    and not pg_catalog.pg_has_role(current_user, n.nspowner, 'usage')`;

/** Goes before all else in a session on the datastore that has just begun. */
export async function settle(client: pg.ClientBase): Promise<void> {
  await client.query(SETTLE);
  await client.query(OWN_ROLE);
}

/** Options for a client on the datastore; with `searchPath` its unqualified names are looked for there. */
export function clientOptions(url: Secret, applicationName: string, searchPath?: string): pg.ClientConfig {
  return {
    ...datastoreClient(url),
    application_name: applicationName,
    statement_timeout: STATEMENT_MS,
    // The later of two counts.
    options: searchPath === undefined ? OPTIONS : `${OPTIONS} -c search_path=${searchPath}`,
    keepAlive: true,
  };
}

const CANCEL = `/* session.cancel */ select pg_catalog.pg_cancel_backend(a.pid)
  from pg_catalog.pg_stat_activity a
  where a.pid = $1 and a.state = 'active' and a.application_name = pg_catalog.current_setting('application_name')`;

export interface SessionOptions {
  url: Secret;
  applicationName: string;
}

/** A session that is not open by then ends no statement, which the server gives up by itself. */
const CANCEL_MS = 3000;

/** Has the server end the statement that this session of ours is at; over a session of its own, since all others may be busy. */
export async function cancelStatement({ url, applicationName }: SessionOptions, pid: number): Promise<void> {
  const client = new pg.Client({
    ...clientOptions(url, applicationName),
    connectionTimeoutMillis: CANCEL_MS,
    query_timeout: CANCEL_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query({ text: CANCEL, values: [pid] });
  } catch {
    // It ends by its timeout.
  } finally {
    client.end().catch(() => undefined);
  }
}

/** A session of its own for `work`, whose statements have no limit of time. Rejects once the server is silent. */
export async function withSession<T>(
  { url, applicationName }: SessionOptions,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const options = clientOptions(url, applicationName);
  const socket = new Socket();
  const unlimited = { statement_timeout: 0, query_timeout: 0 };
  const client = new pg.Client({ ...options, ...unlimited, stream: () => socket });
  // Whoever waits hears of it from the statement.
  client.on('error', () => undefined);
  const closeAll = () => void socket.destroy();
  const heartbeat = new Heartbeat({ client: options, clock: systemClock, log: silentLog, closeAll });
  const silent = Promise.withResolvers<never>();
  silent.promise.catch(() => undefined);
  heartbeat.begin({
    since: systemClock.monotonic(),
    statement: undefined,
    giveUp: () =>
      silent.reject(new Fault('unavailable', 'The datastore does not answer. Try again in a moment.')),
  });
  const all = async () => {
    await client.connect();
    await settle(client);
    return work(client);
  };
  try {
    return await Promise.race([all(), silent.promise]);
  } finally {
    heartbeat.stop();
    const force = setTimeout(closeAll, LEAVE_MS);
    await client.end().finally(() => clearTimeout(force));
  }
}
