// The statements that go with a batch of samples: leases and ledger before, the dictionary of objects between, and the
// lines themselves by COPY.
import { identifier, join, type Sql, sql } from '../kernel/sql.ts';
import type { MetricTable } from './shapes.ts';

/**
 * Ends a transaction whose writer fell asleep, so that the leases it has locked can change hands. Three statements in
 * one message, hence no name of its own.
 */
export const BEGIN =
  'begin; set local idle_in_transaction_session_timeout = 5000; set local lock_timeout = 5000';

export interface Opened {
  /** [collector, epoch, seq] of those that are not in the datastore already. */
  fresh: [string, number, number][];
  /**
   * [connection id, epoch, until]: what was collected under that epoch is taken, when `until` is not null only if it
   * was collected before (milliseconds since the epoch). Nothing is taken of leases that are not here. The leases are
   * locked until the end of the transaction, so that two batches never give ids to objects of one connection.
   */
  leases: [number, number, number | null][];
}

export interface Batch {
  collector: string;
  epoch: number;
  seq: number;
}

export interface Lease {
  connection_id: number;
  epoch: number;
}

/**
 * An epoch that has passed is good for what was collected before the next one was taken; when that was is not known of
 * leases older than their record, and then nothing is.
 */
export const openBatch = (batches: readonly Batch[], leases: readonly Lease[]): Sql => sql`
  /* store.open_batch */
  with input as (
    select i.connection_id, i.epoch
    from unnest(
      ${leases.map((lease) => lease.connection_id)}::integer[],
      ${leases.map((lease) => lease.epoch)}::bigint[]
    ) as i (connection_id, epoch)
  ), fence as materialized (
    select l.connection_id, l.epoch
    from matriarch.connection_leases l
    where l.connection_id in (select i.connection_id from input i)
    order by l.connection_id
    for no key update
  ), noted as (
    insert into matriarch.batch_ledger (collector, epoch, seq)
    select b.collector, b.epoch, b.seq
    from unnest(
      ${batches.map(({ collector }) => collector)}::text[],
      ${batches.map(({ epoch }) => epoch)}::bigint[],
      ${batches.map(({ seq }) => seq)}::bigint[]
    ) as b (collector, epoch, seq)
    order by b.collector, b.epoch, b.seq
    on conflict (collector, epoch, seq) do nothing
    returning collector, epoch, seq
  )
  select
    (select coalesce(jsonb_agg(jsonb_build_array(n.collector, n.epoch, n.seq)), '[]') from noted n) as fresh,
    (
      select coalesce(jsonb_agg(jsonb_build_array(
        i.connection_id,
        i.epoch,
        case when f.epoch <> i.epoch then coalesce(floor(extract(epoch from e.taken_at) * 1000), 0) end
      )), '[]')
      from input i
      join fence f on f.connection_id = i.connection_id
      left join matriarch.lease_epochs e on e.connection_id = i.connection_id and e.epoch = i.epoch + 1
    ) as leases`;

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
        ${objects.map(({ family }) => family + 1)}::integer[],
        ${objects.map(({ object_key }) => object_key)}::text[],
        ${objects.map(({ key }) => key)}::text[],
        ${objects.map(({ labels }) => labels)}::text[],
        ${objects.map(({ seen }) => seen)}::float8[]
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

const columns = ({ columns: all }: MetricTable) =>
  join(
    all.map(({ name }) => identifier(name)),
    sql`, `,
  );

export const copyLines = (table: MetricTable): Sql =>
  sql`copy metrics.${identifier(table.name)} (${columns(table)}) from stdin`;

/** For lines that may be there already: COPY beside the table, then what is new. */
export const asideTable = (table: MetricTable): Sql => sql`
  create temporary table ${identifier(table.name)} (like metrics.${identifier(table.name)})
  on commit drop`;

export const copyAside = (table: MetricTable): Sql =>
  sql`copy pg_temp.${identifier(table.name)} (${columns(table)}) from stdin`;

export const takeOver = (table: MetricTable): Sql => sql`
  /* store.take_over */
  insert into metrics.${identifier(table.name)} (${columns(table)})
  select ${columns(table)}
  from pg_temp.${identifier(table.name)}
  on conflict (${join(table.key.map(identifier), sql`, `)}) do nothing`;

export const datastoreNow = sql`
  /* store.now */
  select (extract(epoch from now()) * 1000)::bigint as now`;
