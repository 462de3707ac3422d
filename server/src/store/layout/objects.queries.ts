// The dictionary of objects: every object of a monitored server is there once and has one id.
// Guards: two writers never give ids to objects of one connection at the same time.
import { type Sql, sql } from '../../kernel/sql.ts';

/**
 * Whoever gives ids to objects holds the lease's lock, as each batch does: until the end of the transaction, or until it
 * falls asleep in it.
 */
export const lockLease = (connectionId: number): Sql => sql`
  /* store.lock_lease */
  select set_config('idle_in_transaction_session_timeout', '5000', true)
  from matriarch.connection_leases l
  where l.connection_id = ${connectionId}
  for no key update`;

/** Whose objects they are. */
export interface ObjectFamily {
  connection_id: number;
  kind: string;
  database_name: string;
}

export interface ObjectInput {
  /** Position among the families. */
  family: number;
  /** JSON, as the next two, or a digest. */
  object_key: string;
  key: string;
  labels: string;
  /** Milliseconds since the epoch. */
  seen: number;
}

export interface NamedObject {
  /** Among the objects asked for, from 1. */
  position: number;
  object_id: number;
}

/** Many texts as one parameter: to write an array of them takes the driver longer than everything else that it does. */
function inLines(texts: readonly string[]): string {
  // What JSON writes has none; with one, all that follow would be taken for others.
  if (texts.some((text) => text.includes('\n'))) throw new Error('the name of an object has a line break');
  return texts.join('\n');
}

const numbers = (all: readonly number[]) => `{${all.join()}}`;

/**
 * Finds or adds the objects (each is there once), with their labels as they are now (unless that is `late`), and answers
 * their ids.
 */
export function nameObjects(
  families: readonly ObjectFamily[],
  objects: readonly ObjectInput[],
  late = false,
): Sql {
  return sql`
    /* store.objects */
    with input as materialized (
      select f.connection_id, f.kind, f.database_name, i.object_key, i.key, i.labels, i.position,
        to_timestamp(i.seen / 1000) as seen
      from unnest(
        ${numbers(objects.map(({ family }) => family + 1))}::integer[],
        string_to_array(${inLines(objects.map(({ object_key }) => object_key))}, ${'\n'}),
        string_to_array(${inLines(objects.map(({ key }) => key))}, ${'\n'}),
        string_to_array(${inLines(objects.map(({ labels }) => labels))}, ${'\n'}),
        ${numbers(objects.map(({ seen }) => seen))}::float8[]
      ) with ordinality as i (family, object_key, key, labels, seen, position)
      join unnest(
        ${families.map((family) => family.connection_id)}::integer[],
        ${families.map((family) => family.kind)}::text[],
        ${families.map((family) => family.database_name)}::text[]
      ) with ordinality as f (connection_id, kind, database_name, position) on f.position = i.family
    ), known as materialized (
      select i.*, o.object_id
      from input i
      left join metrics.objects o
        on o.connection_id = i.connection_id
        and o.kind = i.kind
        and o.database_name = i.database_name
        and o.object_key = i.object_key
    ), top as materialized (
      select c.connection_id, m.object_id
      from (select distinct k.connection_id from known k where k.object_id is null) c
      cross join lateral (
        select coalesce(max(o.object_id), 0) as object_id
        from metrics.objects o
        where o.connection_id = c.connection_id
      ) m
    ), added as (
      insert into metrics.objects (
        connection_id, object_id, kind, database_name, object_key, key, labels, first_seen, last_seen
      )
      select
        k.connection_id,
        t.object_id + row_number() over (
          partition by k.connection_id order by k.kind, k.database_name, k.object_key
        ),
        k.kind, k.database_name, k.object_key, k.key::jsonb, k.labels::jsonb, k.seen, k.seen
      from known k
      join top t on t.connection_id = k.connection_id
      where k.object_id is null
      returning connection_id, kind, database_name, object_key, object_id
    ), touched as (
      update metrics.objects o
      set
        labels = case when ${late}::boolean then o.labels else k.labels::jsonb end,
        first_seen = least(o.first_seen, k.seen),
        last_seen = greatest(o.last_seen, k.seen)
      from known k
      where o.connection_id = k.connection_id
        and o.object_id = k.object_id
        and (
          not ${late}::boolean and o.labels <> k.labels::jsonb
          or o.last_seen < k.seen - interval '1 day'
          or k.seen < o.first_seen
        )
    )
    select k.position::integer as position, coalesce(k.object_id, a.object_id) as object_id
    from known k
    left join added a
      on a.connection_id = k.connection_id
      and a.kind = k.kind
      and a.database_name = k.database_name
      and a.object_key = k.object_key`;
}
