// The statements of what is usual of metrics. Guards: only whoever has the lease of the alerter writes; what is read for a
// round is one place of each profile, not the profiles.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { entitiesKnown } from '../../store/read/doors/relations.ts';

/** What whoever has the lease of the alerter has. */
export interface Lease {
  name: string;
  epoch: number;
}

/** Of one metric on one database of a connection. */
export interface Baseline {
  database_name: string;
  metric: string;
  /** RFC 3339: the first value that is known. */
  known_since: string;
  /** See the migration of matriarch.metric_baselines. */
  medians: readonly (number | null)[];
  spreads: readonly (number | null)[];
}

/** In place of all that the connection has. */
export const saveBaselines = (
  db: Db,
  { connection_id, lease }: { connection_id: number; lease: Lease },
  baselines: readonly Baseline[],
): Promise<number> =>
  db.run(sql`/* baselines.save */
    with held as materialized (
      select j.name from matriarch.jobs j where j.name = ${lease.name} and j.epoch = ${lease.epoch} for share
    ), made as (
      select b.*
      from held, jsonb_to_recordset(${JSON.stringify(baselines)}::jsonb) as b (
        database_name text, metric text, known_since timestamptz, medians double precision[],
        spreads double precision[]
      )
    ), dropped as (
      delete from matriarch.metric_baselines o
      using held
      where o.connection_id = ${connection_id}
        and not exists (
          select from made m where m.database_name = o.database_name and m.metric = o.metric
        )
    )
    insert into matriarch.metric_baselines as o (
      connection_id, database_name, metric, made_at, known_since, medians, spreads
    )
    select ${connection_id}::int, m.database_name, m.metric, now(), m.known_since, m.medians, m.spreads
    from made m
    on conflict (connection_id, database_name, metric) do update
    set
      made_at = excluded.made_at,
      known_since = excluded.known_since,
      medians = excluded.medians,
      spreads = excluded.spreads`);

export interface HourBaseline {
  connection_id: number;
  database_name: string;
  metric: string;
  median: number;
  spread: number;
}

/** Of these metrics on these connections, in the first of these places (from 0) where it is known. */
export const usualAt = (
  db: Db,
  of: { connection_ids: readonly number[]; metrics: readonly string[]; places: readonly number[] },
): Promise<HourBaseline[]> =>
  db.rows<HourBaseline>(sql`/* baselines.usual */
    select b.connection_id, b.database_name, b.metric, b.medians[p.place] as median, b.spreads[p.place] as spread
    from matriarch.metric_baselines b
    cross join lateral (
      select n.place
      from unnest(${of.places.map((place) => place + 1)}::int[]) with ordinality as n (place, rank)
      where b.medians[n.place] is not null
      order by n.rank
      limit 1
    ) p
    where b.connection_id = any (${of.connection_ids}::int[]) and b.metric = any (${of.metrics}::text[])`);

/** Connections that are watched whose baselines are old or not there: the ones that wait longest first. */
export const dueConnections = (
  db: Db,
  {
    days_known,
    old_hours,
    young_hours,
    most,
  }: Record<'days_known' | 'old_hours' | 'young_hours' | 'most', number>,
): Promise<{ connection_id: number }[]> =>
  db.rows(sql`/* baselines.due */
    select c.id as connection_id
    from matriarch.connections c
    left join lateral (
      select min(b.made_at) as made_at, max(b.known_since) as known_since
      from matriarch.metric_baselines b
      where b.connection_id = c.id
    ) b on true
    where c.deleted_at is null and c.is_monitored
      and (
        b.made_at is null
        or b.made_at < now() - case
          when b.known_since < now() - make_interval(days => ${days_known}::int)
            then make_interval(hours => ${old_hours}::int)
          else make_interval(hours => ${young_hours}::int)
        end
      )
    order by b.made_at nulls first, c.id
    limit ${most}::int`);

export interface KeptFor {
  probe: string;
  retention_days: number;
  interval_seconds: number;
  /** Of the connection, as far as the dictionary knows. */
  entities: number;
}

/** How often these probes run on a connection, and for how long their samples are kept. */
export const keptFor = (
  db: Db,
  { connection_id, probes, from }: { connection_id: number; probes: readonly string[]; from: number },
): Promise<KeptFor[]> =>
  db.rows<KeptFor>(sql`/* baselines.kept_for */
    select
      e.probe_name as probe, e.retention_days, e.interval_seconds,
      ${entitiesKnown({ connection: sql`e.connection_id`, kind: sql`e.probe_name`, from })} as entities
    from matriarch.effective_probe_settings e
    where e.connection_id = ${connection_id} and e.probe_name = any (${probes}::text[])`);

/** The oldest of the databases of a connection; undefined: nothing has been read yet. */
export const knownSince = (
  db: Db,
  { connection_id, metric }: { connection_id: number; metric: string },
): Promise<{ known_since: string } | undefined> =>
  db.maybe(sql`/* baselines.known_since */
    select b.known_since
    from matriarch.metric_baselines b
    where b.connection_id = ${connection_id} and b.metric = ${metric}
    order by b.known_since
    limit 1`);
