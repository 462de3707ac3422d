// Counts of the logs of many servers. Guards: which servers are meant was decided by the access function in one statement, and counts are
// read of those alone.
import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { join, type Sql, sql } from '../../kernel/sql.ts';
import type { Buckets, SlotPiece } from './log-slots.ts';
import type { SourceRow } from './server-logs.queries.ts';

export interface SeenRow extends SourceRow {
  connection_id: number;
  connection_name: string;
}

/** Servers that the caller sees, with how reading of their logs is doing. */
export const seenSources = (db: Db, principal: Principal): Promise<SeenRow[]> =>
  db.rows<SeenRow>(sql`/* estate_logs.sources */
    select
      c.id as connection_id, c.name as connection_name, c.username, c.is_monitored, s.format, s.reason, s.mend,
      s.reading_since, s.looked_at, s.read_until
    from matriarch.connections c
    left join matriarch.log_sources s on s.connection_id = c.id
    where c.deleted_at is null and ${visible(principal)}
    order by c.name, c.id`);

interface ManyGrid extends Omit<Buckets, 'slots'> {
  readonly ids: readonly number[];
  readonly pieces: readonly SlotPiece[];
  /** Classes of events that are critical or warnings. */
  readonly grave: readonly string[];
}

export interface SumRow {
  /** null: of all servers. */
  connection_id: number | null;
  /** null: of all grave classes. */
  class: string | null;
  /** null: of the whole time. */
  bucket: number | null;
  events: number;
  kept: number;
}

/** From when on slots hold all that was counted; milliseconds since the epoch. */
export const slotsWholeFrom = async (db: Db): Promise<number> =>
  (
    await db.maybe<{ at: number }>(sql`/* estate_logs.whole_from */
      select (extract(epoch from s.whole_from) * 1000)::float8 as at from matriarch.log_sums_state s`)
  )?.at ?? Number.POSITIVE_INFINITY;

const timeOf = (ms: number): Sql => sql`to_timestamp(${ms / 1000}::float8)`;

/** Counts of these servers, each with the time at which its slot begins. */
const countsIn = (ids: readonly number[], { slot, from, to }: SlotPiece): Sql =>
  slot === null
    ? sql`/* estate_logs.minutes */
        select c.connection_id, c.class, c.minute as at, c.events, c.kept
        from matriarch.log_counts c
        where c.connection_id = any(${ids}::int[]) and c.minute >= ${timeOf(from)} and c.minute < ${timeOf(to)}`
    : sql`/* estate_logs.slots */
        select s.connection_id, s.class, s.slot as at, s.events, s.kept
        from matriarch.log_sums s
        where s.connection_id = any(${ids}::int[]) and s.slot_seconds = ${slot / 1000}::int
          and s.slot >= ${timeOf(from)} and s.slot < ${timeOf(to)}`;

/** By class and time, by server and class, and of what is grave by server and time: one read of the counts. */
export const sumsOfMany = (db: Db, { ids, pieces, start, width, grave }: ManyGrid): Promise<SumRow[]> =>
  db.rows<SumRow>(sql`/* estate_logs.sums */
    with counted as (
      select
        c.connection_id,
        c.class,
        -- date_part, since extract is numeric, which takes several times as long.
        floor((date_part('epoch', c.at) * 1000 - ${start}::float8) / ${width}::float8)::int as bucket,
        -- Exact, and much less work than numeric, which sums of bigint are.
        sum(c.events::float8) as events,
        sum(c.kept::float8) as kept
      from (${join(
        pieces.map((piece) => countsIn(ids, piece)),
        sql` union all `,
      )}) c
      group by 1, 2, 3
    ),
    placed as (
      select s.connection_id, s.class, s.bucket, s.class = any(${grave}::text[]) as is_grave, s.events, s.kept
      from counted s
    )
    select
      k.connection_id, k.class, k.bucket, sum(k.events)::bigint as events, sum(k.kept)::bigint as kept
    from placed k
    group by grouping sets ((k.class, k.bucket), (k.connection_id, k.class), (k.connection_id, k.bucket, k.is_grave))
    having grouping(k.is_grave) = 1 or k.is_grave`);
