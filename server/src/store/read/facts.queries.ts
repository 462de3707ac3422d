// Facts as they were at a time, and how they changed between two times.
import { type Sql, sql } from '../../kernel/sql.ts';

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

export interface FactsAt {
  connection_ids: readonly number[];
  probes: readonly string[];
  /** Milliseconds since the epoch; undefined: now. */
  at: number | undefined;
  database_name: string | undefined;
  item_keys: readonly string[] | undefined;
}

export const factsAtTime = ({ connection_ids, probes, at, database_name, item_keys }: FactsAt): Sql => sql`
  /* store.facts_at */
  select f.connection_id, f.probe, f.database_name, f.item_key, f.valid_from, f.valid_to, f.value
  from metrics.facts f
  where f.connection_id = any (${connection_ids}::integer[])
    and f.probe = any (${probes}::text[])
    ${
      at === undefined
        ? sql`and f.valid_to is null`
        : sql`and f.valid_from <= ${timeOf(at)} and (f.valid_to is null or f.valid_to > ${timeOf(at)})`
    }
    ${database_name === undefined ? sql`` : sql`and f.database_name = ${database_name}`}
    ${item_keys === undefined ? sql`` : sql`and f.item_key = any (${item_keys}::text[])`}
  order by f.connection_id, f.probe, f.database_name, f.item_key`;

export interface ChangesBetween {
  connection_ids: readonly number[];
  probes: readonly string[];
  /** Milliseconds since the epoch: after `from`, until `to`. */
  from: number;
  to: number;
  limit: number;
}

/**
 * Versions of items with the one before and after them; an item that came back after a time without it was added again.
 * What was there when it was first looked at is no change.
 */
export const factChanges = ({ connection_ids, probes, from, to, limit }: ChangesBetween): Sql => sql`
  /* store.fact_changes */
  with first as materialized (
    select f.connection_id, f.probe, f.database_name, min(f.valid_from) as at
    from metrics.facts f
    where f.connection_id = any (${connection_ids}::integer[]) and f.probe = any (${probes}::text[])
    group by f.connection_id, f.probe, f.database_name
  ), version as materialized (
    select
      f.connection_id, f.probe, f.database_name, f.item_key, f.valid_from, f.valid_to, f.value,
      lag(f.value) over w as value_before, lag(f.valid_to) over w as end_before,
      lead(f.valid_from) over w as begin_after
    from metrics.facts f
    where f.connection_id = any (${connection_ids}::integer[])
      and f.probe = any (${probes}::text[])
      and f.valid_from <= ${timeOf(to)}
      and (f.valid_to is null or f.valid_to >= ${timeOf(from)})
    window w as (
      partition by f.connection_id, f.probe, f.database_name, f.item_key order by f.valid_from
    )
  ), change as (
    select
      v.connection_id, v.probe, v.database_name, v.item_key, v.valid_from as at,
      case when v.end_before = v.valid_from then v.value_before end as before, v.value as after
    from version v
    join first on first.connection_id = v.connection_id
      and first.probe = v.probe
      and first.database_name = v.database_name
    where v.valid_from > ${timeOf(from)} and v.valid_from > first.at
    union all
    select v.connection_id, v.probe, v.database_name, v.item_key, v.valid_to, v.value, null
    from version v
    where v.valid_to > ${timeOf(from)}
      and v.valid_to <= ${timeOf(to)}
      and v.begin_after is distinct from v.valid_to
  )
  select c.connection_id, c.probe, c.database_name, c.item_key, c.at, c.before, c.after
  from change c
  order by c.at desc, c.connection_id, c.probe, c.database_name, c.item_key
  limit ${limit}`;
