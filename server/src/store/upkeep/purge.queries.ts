// Removing what was collected from deleted connections, in slices that never hold locks for long.
import { type Sql, sql } from '../../kernel/sql.ts';

/** Connections deleted a while ago, with no lease in force, that still have something to remove. */
export const purgeable = (limit: number): Sql => sql`
  /* store.purgeable */
  select c.id
  from matriarch.connections c
  where c.deleted_at < now() - interval '5 seconds'
    and not exists (
      select 1
      from matriarch.connection_leases l
      where l.connection_id = c.id and l.expires_at > now()
    )
    and (
      exists (select 1 from metrics.current_snapshots s where s.connection_id = c.id)
      or exists (select 1 from metrics.objects o where o.connection_id = c.id)
      or exists (select 1 from metrics.facts f where f.connection_id = c.id)
      or exists (select 1 from metrics.queries q where q.connection_id = c.id)
      or exists (select 1 from matriarch.connection_leases l where l.connection_id = c.id)
      or exists (select 1 from matriarch.connection_states t where t.connection_id = c.id)
    )
  order by c.id
  limit ${limit}`;

/** The lease goes first: without it nothing new can be written. */
export const purgeLease = (connectionId: number): Sql => sql`
  /* store.purge_lease */
  delete from matriarch.connection_leases
  where connection_id = ${connectionId} and expires_at <= now()`;

export const purgeFacts = (connectionId: number, slice: number): Sql => sql`
  /* store.purge_facts */
  delete from metrics.facts f
  using (
    select s.connection_id, s.probe, s.database_name, s.item_key, s.valid_from
    from metrics.facts s
    where s.connection_id = ${connectionId}
    limit ${slice}
  ) s
  where f.connection_id = s.connection_id
    and f.probe = s.probe
    and f.database_name = s.database_name
    and f.item_key = s.item_key
    and f.valid_from = s.valid_from`;

export const purgeObjects = (connectionId: number, slice: number): Sql => sql`
  /* store.purge_objects */
  delete from metrics.objects o
  using (
    select s.connection_id, s.object_id
    from metrics.objects s
    where s.connection_id = ${connectionId}
    limit ${slice}
  ) s
  where o.connection_id = s.connection_id and o.object_id = s.object_id`;

export const purgeSnapshots = (connectionId: number): Sql => sql`
  /* store.purge_snapshots */
  delete from metrics.current_snapshots
  where connection_id = ${connectionId}`;

/** A slice of the texts of statements; `chosen` says which of `s`, and in which order. */
const sliceOfQueries = (chosen: Sql, slice: number): Sql => sql`
  metrics.queries q
  using (
    select s.connection_id, s.database_name, s.queryid, s.userid, s.toplevel
    from metrics.queries s
    where ${chosen}
    limit ${slice}
  ) s
  where q.connection_id = s.connection_id
    and q.database_name = s.database_name
    and q.queryid = s.queryid
    and q.userid = s.userid
    and q.toplevel = s.toplevel`;

export const purgeQueries = (connectionId: number, slice: number): Sql => sql`
  /* store.purge_queries */
  delete from ${sliceOfQueries(sql`s.connection_id = ${connectionId}`, slice)}`;

/** Texts of statements that no server has named for a long time. */
export const forgetQueries = (slice: number): Sql => sql`
  /* store.forget_queries */
  delete from ${sliceOfQueries(sql`s.last_seen < now() - interval '100 days' order by s.last_seen`, slice)}`;

export const purgeState = (connectionId: number): Sql => sql`
  /* store.purge_state */
  with costs as (
    delete from matriarch.probe_costs
    where connection_id = ${connectionId}
  ), ledger as (
    delete from matriarch.statement_ledger
    where connection_id = ${connectionId}
  ), intervals as (
    delete from matriarch.interval_changes
    where connection_id = ${connectionId}
  ), gaps as (
    delete from metrics.known_gaps
    where connection_id = ${connectionId}
  ), readings as (
    delete from matriarch.object_readings
    where connection_id = ${connectionId}
  ), epochs as (
    delete from matriarch.lease_epochs
    where connection_id = ${connectionId}
  )
  delete from matriarch.connection_states
  where connection_id = ${connectionId}`;
