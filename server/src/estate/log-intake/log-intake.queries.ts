// Which connections records may be for, and the ledger of what was received. Guards: only connections that the caller may read; one way
// at a time for each log; a batch that is stored is told from one that is new under any concurrency.
import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface ReachedRow {
  id: number;
  name: string;
}

/** Connections of these ids or names that the caller may read. */
export const findReached = (
  db: Db,
  principal: Principal,
  { ids, names }: { ids: readonly number[]; names: readonly string[] },
): Promise<ReachedRow[]> =>
  db.rows<ReachedRow>(sql`/* log_intake.reached */
    select c.id, c.name
    from matriarch.connections c
    where (c.id = any (${ids}::int[]) or c.name = any (${names}::text[])) and ${visible(principal)}
    order by c.id
    limit 1000`);

/** Files that nobody has read for so long are not read any more. */
const STALE_MINUTES = 25;

/** Notes that records came. Answers 0 where files of this log are read. */
export const noteReceived = (
  db: Db,
  connection_id: number,
  {
    at,
    format,
    reason = null,
  }: { at: number; format: 'otlp' | 'syslog'; reason?: string | null | undefined },
): Promise<number> =>
  db.run(sql`/* log_intake.note */
    insert into matriarch.log_sources as s (connection_id, format, reason, looked_at, reading_since)
    values (${connection_id}, ${format}, ${reason}, to_timestamp(${at / 1000}::float8), to_timestamp(${at / 1000}::float8))
    on conflict (connection_id) do update
    set
      format = excluded.format, reason = excluded.reason, mend = null, looked_at = excluded.looked_at, read_until = null,
      reading_since = case
        when s.format = excluded.format and s.looked_at >= excluded.looked_at - interval '1 day' then s.reading_since
        else excluded.reading_since
      end
    where s.format is null or s.format = excluded.format
      or s.looked_at < excluded.looked_at - make_interval(mins => ${STALE_MINUTES}::int)`);

/** Answers 0 where that batch was stored already. */
export const noteBatch = (db: Db, connection_id: number, { hash, at }: { hash: Buffer; at: number }) =>
  db.run(sql`/* log_intake.batch */
    insert into matriarch.log_batches (connection_id, batch_hash, received_at)
    values (${connection_id}, ${hash}::bytea, to_timestamp(${at / 1000}::float8))
    on conflict do nothing`);
