// Small blocks of lines that upkeep merges. Guards: blocks that another process merges are left to it; what is new is left alone, since a live
// view follows it.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

/** Two of them always make one block. */
const SMALL: Sql = sql`b.unpacked_bytes < 524288 and b.events < 10000`;
const SETTLED: Sql = sql`b.stored_at < now() - interval '10 minutes' and b.version = 1`;
const HOUR: Sql = sql`date_trunc('hour', b.first_at, 'UTC')`;

export interface SmallBlocks {
  connection_id: number;
  hour: string;
}

/** Hours of servers with many small blocks, or with some and over; those with the most first. */
export const findSmallBlocks = (db: Db, most: number): Promise<SmallBlocks[]> =>
  db.rows<SmallBlocks>(sql`/* logs.small_blocks */
    select b.connection_id, ${HOUR} as hour
    from matriarch.log_blocks b
    where ${SMALL} and ${SETTLED}
    group by 1, 2
    having count(*) >= 8 or (count(*) >= 2 and ${HOUR} < now() - interval '2 hours')
    order by count(*) desc
    limit ${most}`);

export interface SmallBlock {
  id: number;
  unpacked_bytes: number;
  version: number;
}

export const lockSmallBlocks = (db: Db, { connection_id, hour }: SmallBlocks): Promise<SmallBlock[]> =>
  db.rows<SmallBlock>(sql`/* logs.lock_small_blocks */
    select b.id, b.unpacked_bytes, b.version
    from matriarch.log_blocks b
    where b.connection_id = ${connection_id} and b.first_at >= ${hour}::timestamptz
      and b.first_at < ${hour}::timestamptz + interval '1 hour' and ${SMALL} and ${SETTLED}
    order by b.first_at, b.id
    limit 500
    for update skip locked`);

/** Answers how many rows it deleted; all of them are as old as the newest of them. */
export const noteMerged = (
  db: Db,
  { merged, into }: { merged: readonly number[]; into: readonly number[] },
): Promise<number> =>
  db.run(sql`/* logs.note_merged */
    with gone as (
      delete from matriarch.log_blocks b where b.id = any(${merged}::bigint[]) returning b.stored_at
    )
    update matriarch.log_blocks n
    set is_merged = true, stored_at = (select max(g.stored_at) from gone g)
    where n.id = any(${into}::bigint[])`);
