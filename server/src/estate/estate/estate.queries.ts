// What the estate shows: every visible server, its newest samples, and every run of one server.

import {
  connectionErrorsVersion,
  levelOf,
  type Principal,
  serversFingerprint,
} from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import type { Cause } from '../../probes/causes.ts';
import {
  factInForce,
  knownGaps,
  newestRows,
  newestRun,
  newestRuns,
} from '../../store/read/doors/relations.ts';
import type { GapReason } from '../../store/spool/gaps.ts';

/** A server as people and the collector left it. */
export interface ListedServer {
  connection_id: number;
  name: string;
  description: string;
  tags: readonly string[];
  host: string;
  port: number;
  is_monitored: boolean;
  is_shared: boolean;
  owner_username: string;
  created_at: string;
  connection_error: string | null;
  failing_since: string | null;
  /** How often connectivity is sampled; null until the probes are known to the datastore. */
  interval_seconds: number | null;
}

/** What was collected from it last; null where nothing was. */
export interface ServerSamples {
  server_version: string | null;
  is_in_recovery: boolean | null;
  /** Newest sample of anything read from the server; its machine may be told about by others. */
  last_sample_at: string | null;
  response_time_ms: number | null;
  /** When that was measured. */
  answered_at: string | null;
  database_count: number | null;
  size_bytes: number | string | null;
  /** Probes that cannot run. That nobody tells about the machine is no problem of the server. */
  problem_count: number;
}

export type EstateRow = ListedServer & ServerSamples;

export interface Visibility {
  /** Ids of the connections that the caller sees, ascending; each of the three is the text of an array. */
  ids: string;
  /** What the caller may do with each of them, in the same order. */
  levels: string;
  /** Those of them that are the caller's own. */
  own: string;
  /** All connections there are, and those that nobody monitors, whoever asks; never to be shown. */
  every: string;
  paused: string;
  /** Another text whenever anything that is shown was changed; but for what was collected. */
  fingerprint: string;
  /** Another number whenever a server can no longer be read, or can be read again. */
  errors: string | null;
}

/** What the caller sees now, by the access function, and whether what was read before still holds. */
export function findVisibility(db: Db, principal: Principal): Promise<Visibility> {
  const statement = sql`/* estate.visibility */
    select
      coalesce(array_agg(seen.id order by seen.id) filter (where seen.level > 0), '{}')::text as ids,
      coalesce(array_agg(seen.level order by seen.id) filter (where seen.level > 0), '{}')::text as levels,
      coalesce(array_agg(seen.id order by seen.id) filter (where seen.level > 0 and seen.owned), '{}')::text as own,
      coalesce(array_agg(seen.id order by seen.id), '{}')::text as every,
      coalesce(array_agg(seen.id order by seen.id) filter (where not seen.is_monitored), '{}')::text as paused,
      ${serversFingerprint} as fingerprint,
      ${connectionErrorsVersion}::text as errors
    from (
      select c.id, c.is_monitored, c.owner_id = ${principal.user_id}::int as owned, ${levelOf(principal)} as level
      from matriarch.connections c
      where c.deleted_at is null
    ) seen`;
  return db.one<Visibility>(prepared(statement));
}

const LISTED = sql`
  c.id as connection_id, c.name, c.description, c.tags, c.host, c.port, c.is_monitored, c.is_shared,
  u.username as owner_username, c.created_at, state.connection_error, state.failing_since,
  ping_settings.interval_seconds`;
const LISTED_FROM = sql`
  matriarch.connections c
  join matriarch.users u on u.id = c.owner_id
  left join matriarch.connection_states state on state.connection_id = c.id
  left join matriarch.effective_probe_settings ping_settings on ping_settings.connection_id = c.id
    and ping_settings.probe_name = 'pg_connectivity'`;

/** All of them in one statement, however many there are; it knows no caller. */
export function listServers(db: Db): Promise<ListedServer[]> {
  const statement = sql`/* estate.list */
    select ${LISTED}
    from ${LISTED_FROM}
    where c.deleted_at is null
    order by lower(c.name), c.id`;
  return db.rows<ListedServer>(prepared(statement));
}

/** The same with what was collected last from each of them. */
export function listSampledServers(db: Db): Promise<EstateRow[]> {
  const statement = sql`/* estate.samples */
    with server as materialized (
      select c.id from matriarch.connections c where c.deleted_at is null
    ), run as (
      select s.connection_id,
        max(s.collected_at) filter (where s.probe <> 'host' and not starts_with(s.probe, 'pg_sys_')) as last_sample_at,
        count(*) filter (
          where s.outcome = 'failed'
            or s.cause in ('masked', 'missing_grant')
            or s.outcome = 'skipped'
              and coalesce(s.cause, '') not in ('not_applicable', 'disabled')
              and not starts_with(s.probe, 'pg_sys_')
        )::int as problem_count
      from ${newestRuns} s
      where s.connection_id in (select server.id from server)
      group by s.connection_id
    ), database as (
      select r.connection_id, count(*)::int as database_count, sum(r.database_size_bytes)::bigint as size_bytes
      from ${newestRows('pg_database', ['datname', 'datistemplate', 'database_size_bytes'])} r
      where r.connection_id in (select server.id from server)
        and r.datname not in ('template0', 'template1')
        and r.datistemplate is not true
      group by r.connection_id
    )
    select
      ${LISTED},
      ping.collected_at as answered_at,
      fact.value ->> 'server_version' as server_version,
      (fact.value ->> 'is_in_recovery')::boolean as is_in_recovery,
      run.last_sample_at,
      (ping.rows -> 0 ->> 'response_time_ms')::float8 as response_time_ms,
      database.database_count,
      database.size_bytes,
      coalesce(run.problem_count, 0) as problem_count
    from ${LISTED_FROM}
    left join run on run.connection_id = c.id
    left join database on database.connection_id = c.id
    left join ${newestRun('pg_connectivity')} ping on ping.connection_id = c.id
    left join ${factInForce('pg_server_info')} fact on fact.connection_id = c.id
    where c.deleted_at is null
    order by lower(c.name), c.id`;
  return db.rows<EstateRow>(prepared(statement));
}

export interface RunRow {
  is_monitored: boolean;
  /** Null where the connection has no runs yet; then so is everything else. */
  probe: string | null;
  database_name: string | null;
  attempted_at: string | null;
  collected_at: string | null;
  took_ms: number | null;
  outcome: 'ran' | 'skipped' | 'failed' | null;
  cause: Cause | null;
  reason: string | null;
  mend: string | null;
  row_count: number | null;
  /** Of the pseudo-probe `host` only. */
  host_rows: readonly HostFact[] | null;
  /** Null until costs were written down. */
  effective_interval_seconds: number | null;
  cost_percent: number | null;
  /** Why it runs less often than declared. */
  cost_note: string | null;
  /** Of the server as a whole, in every row. */
  own_cost_percent: number | null;
  own_sessions: number | null;
  own_measured_at: string | null;
  statement_entries: number | null;
  statement_entries_limit: number | null;
  /** The newest known gap of the connection, in every row. */
  gap_began_at: string | null;
  gap_ended_at: string | null;
  gap_reason: GapReason | null;
}

export interface HostFact {
  kind: 'value' | 'source';
  source: string;
  field?: string;
  observed_at?: string;
  status?: 'ok' | 'unavailable';
  reason?: string | null;
  mend?: string | null;
}

export function listRuns(db: Db, connectionId: number): Promise<RunRow[]> {
  return db.rows<RunRow>(sql`/* estate.runs */
    select
      c.is_monitored, s.probe, s.database_name, s.attempted_at, s.collected_at, s.took_ms, s.outcome, s.cause, s.reason, s.mend, s.row_count,
      case when s.probe = 'host' then s.rows end as host_rows,
      k.interval_seconds as effective_interval_seconds, k.cost_percent, k.note as cost_note,
      o.own_cost_percent, o.own_sessions, o.own_measured_at, o.statement_entries, o.statement_entries_limit,
      g.began_at as gap_began_at, g.ended_at as gap_ended_at, g.reason as gap_reason
    from matriarch.connections c
    left join ${newestRuns} s on s.connection_id = c.id
    left join matriarch.probe_costs k on k.connection_id = c.id and k.probe = s.probe
    cross join lateral (
      select
        sum(a.cost_percent) as own_cost_percent,
        max(a.sessions) as own_sessions,
        max(a.statement_entries) as statement_entries,
        max(a.statement_entries_limit) as statement_entries_limit,
        max(a.written_at) as own_measured_at
      from matriarch.probe_costs a
      where a.connection_id = c.id
    ) o
    left join lateral (
      select k.began_at, k.ended_at, k.reason
      from ${knownGaps} k
      where k.connection_id = c.id
      order by k.began_at desc
      limit 1
    ) g on true
    where c.id = ${connectionId}
    order by s.probe, s.database_name`);
}

/** Asks the collectors to try again, and wakes them; answers 0 when the connection is not monitored. */
export function requestRetest(db: Db, connectionId: number): Promise<number> {
  return db.run(sql`/* estate.request_retest */
    with asked as (
      update matriarch.connections c
      set retest_requested_at = now()
      where c.id = ${connectionId} and c.deleted_at is null and c.is_monitored
      returning c.id
    )
    select pg_notify('matriarch_connections', asked.id::text)
    from asked`);
}

/**
 * Has the collectors read its statements more often for 45 seconds; answers 0 when the connection is not monitored. Asked again within
 * ten seconds it writes nothing.
 */
export async function watchStatements(db: Db, connectionId: number): Promise<number> {
  const found = await db.maybe<{ id: number }>(sql`/* estate.watch_statements */
    with watched as (
      update matriarch.connections c
      set statements_watched_at = now()
      where c.id = ${connectionId}
        and c.deleted_at is null
        and c.is_monitored
        and (c.statements_watched_at is null or c.statements_watched_at < now() - interval '10 seconds')
    )
    select c.id
    from matriarch.connections c
    where c.id = ${connectionId} and c.deleted_at is null and c.is_monitored`);
  return found ? 1 : 0;
}

export interface LedgerRow {
  fingerprint: string;
  name: string;
  source: string;
  text: string;
  first_run_at: string;
  last_run_at: string;
  runs: number;
  failures: number;
}

export interface EntriesRow {
  statement_entries: number | null;
  statement_entries_limit: number | null;
}

/** How many entries of the server's pg_stat_statements are ours. */
export const statementEntries = (db: Db, connectionId: number): Promise<EntriesRow | undefined> =>
  db.maybe<EntriesRow>(sql`/* estate.statement_entries */
    select c.statement_entries, c.statement_entries_limit
    from matriarch.probe_costs c
    where c.connection_id = ${connectionId} and c.probe = 'collector'`);

const MOST_STATEMENTS = 1000;

/** Those run last come first, when there are more than anybody would expect. */
export function listStatements(db: Db, connectionId: number): Promise<LedgerRow[]> {
  return db.rows<LedgerRow>(sql`/* estate.statements */
    select s.fingerprint, s.name, s.source, s.text, l.first_run_at, l.last_run_at, l.runs, l.failures
    from matriarch.statement_ledger l
    join matriarch.statements s on s.fingerprint = l.fingerprint
    where l.connection_id = ${connectionId}
    order by l.last_run_at desc, s.name, s.fingerprint
    limit ${MOST_STATEMENTS}`);
}
