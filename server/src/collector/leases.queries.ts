// Leases: which collector reads which connection. One statement each, so a collector that falls asleep holds no lock.
// Rows are locked in the order of their ids everywhere.
import { prepared, type Sql, sql } from '../kernel/sql.ts';
import type { Lease } from '../store/write/fence.queries.ts';

const LEASE = sql`interval '8 seconds'`;
/** What lies further back is a gap at the interval of most probes. */
const SILENCE = sql`interval '10 minutes'`;

/** How the collector's spool does: what waits in it, or why there is none. */
export interface SpoolState {
  bytes: number | null;
  problem: string | null;
}

/** As `view`; says besides that this collector lives, keeps its leases, and forgets collectors that are long gone. */
export const beat = (owner: string, { bytes, problem }: SpoolState): Sql =>
  prepared(sql`
  /* collector.beat */
  with alive as (
    insert into matriarch.collectors (owner, expires_at, spool_bytes, spool_problem)
    values (${owner}, now() + ${LEASE}, ${bytes}, ${problem})
    on conflict (owner) do update
    set
      expires_at = excluded.expires_at,
      spool_bytes = excluded.spool_bytes,
      spool_problem = excluded.spool_problem
  ), gone as (
    delete from matriarch.collectors
    where expires_at < now() - interval '1 hour'
  ), mine as (
    select connection_id
    from matriarch.connection_leases
    where owner = ${owner}
    order by connection_id
    for update
  ), kept as (
    update matriarch.connection_leases l
    set expires_at = now() + ${LEASE}
    from mine m
    where l.connection_id = m.connection_id
  )
  select ${seen(owner)}`);

export interface View {
  /** What the datastore's clock says, in milliseconds since the epoch. */
  now: number;
  collectors: number;
  monitored: number;
  /** Monitored connections that nobody holds. */
  free: number;
  /** Another text whenever what probes are set to was changed anywhere. */
  probe_settings: string;
  /**
   * [connection id, epoch, revision, retest, place, watched, followed]; the revision is null when the connection is not to be monitored any
   * more. `retest` is when somebody last asked to try again, in seconds since the epoch, while that is recent.
   * `place` is another text whenever the connection is in another cluster or group. `watched`: a person looks at its statements;
   * `followed`: at its log as it is read.
   */
  mine: [number, number, number | null, number | null, string, boolean, boolean][];
}

export const view = (owner: string): Sql => prepared(sql`/* collector.view */ select ${seen(owner)}`);

/** Whoever asks is alive, whatever its row says of the time before it asked. */
const seen = (owner: string): Sql => sql`
    (extract(epoch from now()) * 1000)::bigint as now,
    1 + (select count(*) from matriarch.collectors where expires_at > now() and owner <> ${owner}) as collectors,
    (
      select count(*)
      from matriarch.connections c
      where c.deleted_at is null and c.is_monitored
    ) as monitored,
    (
      select count(*)
      from matriarch.connections c
      left join matriarch.connection_leases l on l.connection_id = c.id
      where c.deleted_at is null
        and c.is_monitored
        and (l.connection_id is null or l.expires_at <= now())
    ) as free,
    (
      select concat_ws(' ', count(*), sum(r.revision))
      from (
        select p.revision from matriarch.probe_configs p
        union all
        select o.revision from matriarch.probe_overrides o
      ) r
    ) as probe_settings,
    (
      select coalesce(jsonb_agg(jsonb_build_array(
        l.connection_id,
        l.epoch,
        c.revision,
        case
          when c.retest_requested_at > now() - interval '10 minutes' then extract(epoch from c.retest_requested_at)
        end,
        concat_ws('/', k.id, k.name, g.id, g.name),
        coalesce(c.statements_watched_at > now() - interval '45 seconds', false),
        coalesce(c.logs_watched_at > now() - interval '45 seconds', false)
      )), '[]')
      from matriarch.connection_leases l
      left join matriarch.connections c
        on c.id = l.connection_id and c.deleted_at is null and c.is_monitored
      left join matriarch.connection_scopes s on s.connection_id = c.id
      left join matriarch.clusters k on k.id = s.cluster_id
      left join matriarch.cluster_groups g on g.id = s.group_id
      where l.owner = ${owner}
    ) as mine`;

/**
 * Ends sessions of collectors that fell asleep in the middle of a COPY. The datastore waits for their next line for
 * ever, no timeout of its own counts then, and what they have locked could not change hands.
 */
export const endFrozen = (): Sql => sql`
  /* collector.end_frozen */
  select count(pg_terminate_backend(a.pid))::integer as ended
  from pg_stat_activity a
  where a.datname = current_database()
    and a.usename = current_user
    and a.pid <> pg_backend_pid()
    and a.application_name = current_setting('application_name')
    and a.state = 'active'
    and a.wait_event = 'ClientRead'
    and a.query_start <= now() - ${LEASE}
    and exists (
      select
      from matriarch.connection_leases l
      where l.owner <> '' and l.expires_at <= now()
    )`;

export interface Claimed extends Lease {
  /** Nothing was read of it for a while, or ever. */
  readonly is_new: boolean;
}

/** Takes up to `most` connections that nobody holds. The epoch grows with each taking. */
export const claim = (owner: string, most: number): Sql => sql`
  /* collector.claim */
  with over as materialized (
    -- Who is in the middle of a batch is not waited for.
    select l.connection_id
    from matriarch.connection_leases l
    where l.expires_at <= now()
    order by l.connection_id
    for update skip locked
  ), free as (
    select c.id, coalesce(l.expires_at < now() - ${SILENCE}, true) as is_new
    from matriarch.connections c
    left join matriarch.connection_leases l on l.connection_id = c.id
    where c.deleted_at is null
      and c.is_monitored
      and (l.connection_id is null or l.connection_id in (select o.connection_id from over o))
    order by c.id
    limit ${most}
    for update of c skip locked
  ), taken as (
    insert into matriarch.connection_leases as l (connection_id, owner, expires_at)
    select f.id, ${owner}, now() + ${LEASE}
    from free f
    order by f.id
    on conflict (connection_id) do update
    set owner = excluded.owner, epoch = l.epoch + 1, expires_at = excluded.expires_at
    where l.expires_at <= now()
    returning connection_id, epoch
  ), noted as (
    -- What was collected under the epoch before is good until now, however late it is written.
    insert into matriarch.lease_epochs (connection_id, epoch)
    select t.connection_id, t.epoch
    from taken t
    on conflict (connection_id, epoch) do update set taken_at = now()
  ), known as (
    insert into matriarch.connection_states (connection_id)
    select t.connection_id
    from taken t
    on conflict (connection_id) do nothing
  )
  select t.connection_id, t.epoch, f.is_new
  from taken t
  join free f on f.id = t.connection_id`;

export const release = (owner: string, connectionIds: readonly number[]): Sql => sql`
  /* collector.release */
  with mine as (
    select connection_id
    from matriarch.connection_leases
    where owner = ${owner} and connection_id = any (${connectionIds}::integer[])
    order by connection_id
    for update
  ), cleared as (
    -- No collector tries any more, so nothing fails any more.
    update matriarch.connection_states s
    set connection_error = null, failing_since = null, consecutive_failures = 0
    from mine m
    join matriarch.connections c on c.id = m.connection_id
    where s.connection_id = m.connection_id
      and s.connection_error is not null
      and not c.is_monitored
  )
  update matriarch.connection_leases l
  set owner = '', expires_at = now()
  from mine m
  where l.connection_id = m.connection_id`;

/** The end of this collector: everything it holds is free at once. */
export const leave = (owner: string): Sql => sql`
  /* collector.leave */
  with gone as (
    delete from matriarch.collectors
    where owner = ${owner}
  ), mine as (
    select connection_id
    from matriarch.connection_leases
    where owner = ${owner}
    order by connection_id
    for update
  )
  update matriarch.connection_leases l
  set owner = '', expires_at = now()
  from mine m
  where l.connection_id = m.connection_id`;
