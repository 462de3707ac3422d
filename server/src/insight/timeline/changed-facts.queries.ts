// How facts changed between two times.
import { type Sql, sql } from '../../kernel/sql.ts';
import { everyFact } from '../../store/read/doors/relations.ts';

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

interface ChangesBetween {
  connection_ids: readonly number[];
  probes: readonly string[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
}

/** Times are told in milliseconds; what was seen within the last of them belongs to it. */
const within = (column: Sql, { from, to }: ChangesBetween) =>
  sql`${column} >= ${timeOf(from)} and ${column} < ${timeOf(to)} + interval '1 millisecond'`;

/**
 * Relations for a `with`: `opened`, `first`, and `change` with what each item was before and after; an item that came back
 * after a time without it was added again. What was there when it was first looked at is no change; a first look that
 * found nothing is a version without length. Both ends are found by their time, so the cost is that of what changed.
 */
const changes = (of: ChangesBetween): Sql => sql`opened as materialized (
    select f.connection_id, f.probe, f.database_name, f.item_key, f.valid_from, f.value, f.opened_by_switch
    from ${everyFact} f
    where f.connection_id = any (${of.connection_ids}::integer[])
      and f.probe = any (${of.probes}::text[])
      and ${within(sql`f.valid_from`, of)}
      and f.valid_to is distinct from f.valid_from
  ), first as materialized (
    select k.connection_id, k.probe, k.database_name, l.at
    from (select distinct o.connection_id, o.probe, o.database_name from opened o) k
    cross join lateral (
      select min(f.valid_from) as at
      from ${everyFact} f
      where f.connection_id = k.connection_id and f.probe = k.probe and f.database_name = k.database_name
    ) l
  ), change as materialized (
    select
      o.connection_id, o.probe, o.database_name, o.item_key, o.valid_from as at, b.value as before, o.value as after,
      o.opened_by_switch as is_switch
    from first k
    join opened o
      on o.connection_id = k.connection_id
      and o.probe = k.probe
      and o.database_name = k.database_name
      and o.valid_from > k.at
    left join ${everyFact} b
      on b.connection_id = o.connection_id
      and b.probe = o.probe
      and b.database_name = o.database_name
      and b.item_key = o.item_key
      and b.valid_to = o.valid_from
      and b.valid_from < b.valid_to
    union all
    select f.connection_id, f.probe, f.database_name, f.item_key, f.valid_to, f.value, null, f.closed_by_switch
    from ${everyFact} f
    where f.connection_id = any (${of.connection_ids}::integer[])
      and f.probe = any (${of.probes}::text[])
      and ${within(sql`f.valid_to`, of)}
      and f.valid_to > f.valid_from
      and not exists (
        select 1
        from ${everyFact} n
        where n.connection_id = f.connection_id
          and n.probe = f.probe
          and n.database_name = f.database_name
          and n.item_key = f.item_key
          and n.valid_from = f.valid_to
      )
  )`;

/** What of a probe's items makes an event. */
export interface EventKind {
  /** What its ids begin with: one kind has one. */
  kind: string;
  probe: string;
  /** Declared columns by which an item counts as changed. */
  compared: readonly string[];
  /** Further ones to be told. */
  told: readonly string[];
  /** Only items that were there before and after. */
  is_step: boolean;
  /** Also what differs because another server answers at the address. */
  tells_switch?: boolean;
}

export interface EventsQuery {
  connection_ids: readonly number[];
  kinds: readonly EventKind[];
  from: number;
  to: number;
  /** Of each kind. */
  limit: number;
  /** Changes told of one event. */
  most: number;
}

const projected = (value: Sql) => sql`case when ${value} is not null then (
      select jsonb_object_agg(n.name, ${value} -> n.name) from unnest(k.compared || k.told) as n (name)
    ) end`;

/** What changed at one look at a server is one event of a kind. */
export const factEvents = ({ kinds, limit, most, ...of }: EventsQuery): Sql => sql`
  /* store.fact_events */
  with ${changes({ ...of, probes: [...new Set(kinds.map(({ probe }) => probe))] })}, part as (
    select
      k.kind, c.connection_id, date_trunc('milliseconds', c.at) as at, c.database_name, c.item_key, c.is_switch,
      ${projected(sql`c.before`)} as before,
      ${projected(sql`c.after`)} as after
    from change c
    join jsonb_to_recordset(${JSON.stringify(kinds)}::jsonb) as k (
      kind text, probe text, compared text[], told text[], is_step boolean, tells_switch boolean
    ) on k.probe = c.probe
    where (not k.is_step or c.before is not null and c.after is not null)
      and (not c.is_switch or coalesce(k.tells_switch, false))
      and exists (
        select 1
        from unnest(k.compared) as n (name)
        where c.before is null or c.after is null or c.before -> n.name is distinct from c.after -> n.name
      )
  ), numbered as (
    select
      p.*,
      row_number() over (
        partition by p.kind, p.connection_id, p.at order by p.database_name, p.item_key
      ) as position
    from part p
  ), event as (
    select
      n.kind, n.connection_id, n.at, count(*)::integer as change_count,
      jsonb_agg(
        jsonb_build_object(
          'database_name', n.database_name, 'before', n.before, 'after', n.after, 'is_switch', n.is_switch
        )
        order by n.position
      ) filter (where n.position <= ${most}) as changes
    from numbered n
    group by n.kind, n.connection_id, n.at
  ), ranked as (
    select
      e.*,
      (count(*) over (partition by e.kind))::integer as total_count,
      row_number() over (partition by e.kind order by e.at desc, e.connection_id::text collate "C") as rank
    from event e
  )
  select r.kind, r.connection_id, r.at, r.change_count, r.changes, r.total_count
  from ranked r
  where r.rank <= ${limit}
  order by r.at desc, (r.kind || '-' || r.connection_id) collate "C"`;
