// The statements that go with a batch of samples: leases and batch ledger before, the dictionary of objects between, and the
// lines themselves by COPY.
import { identifier, join, prepared, type Sql, sql } from '../../../kernel/sql.ts';
import { type MetricTable, storedName, type TableLayout } from '../../layout/table-layout.ts';
import type { Lease } from '../fence.queries.ts';

/** Ends a transaction whose writer fell asleep, so that the leases it has locked can change hands. Two statements in one message. */
export const BEGIN = `begin; select /* store.begin */
  set_config('idle_in_transaction_session_timeout', '5000', true), set_config('lock_timeout', '5000', true)`;

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

/**
 * An epoch that has passed is good for what was collected before the next one was taken; when that was is not known of
 * leases older than their record, and then nothing is.
 */
export const openBatch = (batches: readonly Batch[], leases: readonly Lease[]): Sql =>
  prepared(sql`
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
    ) as leases`);

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

/**
 * Increases that come late may be part of those of a later reading, which was compared with an earlier one in the meantime (recall.ts):
 * then they are not counted a second time, and the reading stays.
 */
const isCounted = (table: MetricTable): Sql => sql`exists (
    select 1
    from metrics.${identifier(table.name)} b
    where b.connection_id = p.connection_id
      and b.database_name = p.database_name
      and not b.keyframe
      and b.collected_at > p.collected_at
      and b.collected_at < p.collected_at + interval '3 hours'
      and b.since < p.collected_at
  )`;

export function takeOver({ table, keeps, values }: TableLayout): Sql {
  const counters = new Set(
    values.filter(({ kind }) => kind === 'counter').map(({ name }) => storedName(name)),
  );
  const isOfTicks = keeps === 'objects' && counters.size > 0;
  const picked = table.columns.map(({ name }) =>
    isOfTicks && counters.has(name)
      ? sql`case when c.is_counted then '{}' else p.${identifier(name)} end`
      : sql`p.${identifier(name)}`,
  );
  const counted = isOfTicks ? sql`not p.keyframe and ${isCounted(table)}` : sql`false`;
  return sql`
    /* store.take_over */
    insert into metrics.${identifier(table.name)} (${columns(table)})
    select ${join(picked, sql`, `)}
    from pg_temp.${identifier(table.name)} p
    cross join lateral (select ${counted} as is_counted) c
    on conflict (${join(table.key.map(identifier), sql`, `)}) do nothing`;
}
