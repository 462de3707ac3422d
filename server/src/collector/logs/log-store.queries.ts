// What was read of logs, in the datastore. Guards: only the holder of the lease writes, and a position moves on only from where it was
// read from.
import type { LogFormat, LogVerdict } from '../../estate/connections/log-source.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { held, type Lease } from '../../store/write/fence.queries.ts';
import type { FileState, Gap } from './log-plan.ts';

export interface StoredSource {
  format: LogFormat | 'otlp' | 'syslog' | null;
}

export const loadSource = (db: Db, connection_id: number): Promise<StoredSource | undefined> =>
  db.maybe<StoredSource>(sql`/* logs.load_source */
    select s.format from matriarch.log_sources s where s.connection_id = ${connection_id}`);

export const loadFiles = (db: Db, connection_id: number): Promise<FileState[]> =>
  db.rows<FileState>(sql`/* logs.load_files */
    select
      f.file_name as name, f.size_bytes as size, extract(epoch from f.modified_at)::float8 as modified, f.position,
      f.head_bytes, f.head_hash
    from matriarch.log_files f
    where f.connection_id = ${connection_id}`);

interface Noted extends LogVerdict {
  at: number;
  until?: number | null | undefined;
}

const moment = (ms: number | null): Sql => sql`to_timestamp(${ms === null ? null : ms / 1000}::float8)`;

const SENT = sql`('otlp', 'syslog')`;
const SENT_LATELY = sql`interval '1 hour'`;

/** How reading is doing. */
export const noteSource = (db: Db, lease: Lease, { format, reason, mend, at, until }: Noted) =>
  db.run(sql`/* logs.note_source */
    with fence as materialized ${held(lease)}
    insert into matriarch.log_sources as s (connection_id, format, reason, mend, looked_at, reading_since, read_until)
    select
      f.connection_id, ${format ?? null}, ${reason}, ${mend}, ${moment(at)},
      case when ${format ?? null}::text is not null then ${moment(at)} end, ${moment(until ?? null)}
    from fence f
    on conflict (connection_id) do update
    set
      format = excluded.format, reason = excluded.reason, mend = excluded.mend, looked_at = excluded.looked_at,
      -- Behind, but nothing read that has a time: as far as before.
      read_until = case
        when ${until === undefined} then null
        else coalesce(excluded.read_until, s.read_until, s.looked_at)
      end,
      reading_since = case
        when excluded.format is null then s.reading_since
        -- Files may have come and gone meanwhile, which left no trace.
        when s.format is null or s.looked_at < excluded.looked_at - interval '1 day' then excluded.reading_since
        else coalesce(s.reading_since, excluded.reading_since)
      end
    where s.format is null or s.format not in ${SENT} or s.looked_at < excluded.looked_at - ${SENT_LATELY}`);

/** Whether records of this log were sent lately: its files are not read then. */
export const isSent = async (db: Db, connection_id: number, at: number): Promise<boolean> =>
  (await db.maybe(sql`/* logs.is_sent */
    select from matriarch.log_sources s
    where s.connection_id = ${connection_id} and s.format in ${SENT} and s.looked_at >= ${moment(at)} - ${SENT_LATELY}`)) !==
  undefined;

/** Answers how many rows it wrote: none where the file is known already, or the lease has passed on. */
export const addFile = (db: Db, lease: Lease, file: FileState): Promise<number> =>
  db.run(sql`/* logs.add_file */
    with fence as materialized ${held(lease)}
    insert into matriarch.log_files
      (connection_id, file_name, size_bytes, modified_at, position, head_bytes, head_hash)
    select
      f.connection_id, ${file.name}, ${file.size}::bigint, to_timestamp(${file.modified}::float8), ${file.position}::bigint,
      ${file.head_bytes}::int, ${file.head_hash}
    from fence f
    on conflict (connection_id, file_name) do nothing`);

/** Answers how many rows it wrote: none where the position is another one, or the lease has passed on. */
export const moveFile = (
  db: Db,
  lease: Lease,
  { from, to }: { from: number; to: FileState },
): Promise<number> =>
  db.run(sql`/* logs.move_file */
    with fence as materialized ${held(lease)}
    update matriarch.log_files o
    set
      size_bytes = ${to.size}::bigint, modified_at = to_timestamp(${to.modified}::float8), position = ${to.position}::bigint,
      head_bytes = ${to.head_bytes}::int, head_hash = ${to.head_hash}
    from fence f
    where o.connection_id = f.connection_id and o.file_name = ${to.name} and o.position = ${from}::bigint`);

export const dropFile = (db: Db, lease: Lease, file: FileState): Promise<number> =>
  db.run(sql`/* logs.drop_file */
    with fence as materialized ${held(lease)}
    delete from matriarch.log_files o
    using fence f
    where o.connection_id = f.connection_id and o.file_name = ${file.name} and o.position = ${file.position}::bigint`);

export const addGap = (db: Db, connection_id: number, { name, bytes, reason, at }: Gap & { at: number }) =>
  db.run(sql`/* logs.add_gap */
    insert into matriarch.log_gaps (connection_id, noticed_at, file_name, bytes, reason)
    values (${connection_id}, to_timestamp(${at / 1000}::float8), ${name}, ${bytes}::bigint, ${reason})`);

/** Clients give a batch up within minutes. */
const KEPT_DAYS = { counts: 400, names: 90, events: 90, lines: 7, gaps: 90, batches: 2 } as const;
const AT_ONCE = 20_000;
const BLOCKS_AT_ONCE = 2000;

const gone = sql`(select d.id from matriarch.connections d where d.deleted_at is not null)`;

/** Deletes what is older than is kept, and what belongs to deleted connections; in slices. Answers how many rows. */
export async function forgetLogs(db: Db): Promise<number> {
  const statements = [
    sql`/* logs.forget_events */ delete from matriarch.log_events where id in (
      select e.id from matriarch.log_events e
      where e.occurred_at < now() - make_interval(days => ${KEPT_DAYS.events}::int) or e.connection_id in ${gone}
      limit ${AT_ONCE}::int)`,
    sql`/* logs.forget_blocks */ delete from matriarch.log_blocks where id in (
      select b.id from matriarch.log_blocks b
      where b.last_at < now() - make_interval(days => ${KEPT_DAYS.lines}::int)
      limit ${BLOCKS_AT_ONCE}::int)`,
    sql`/* logs.forget_gone_blocks */ delete from matriarch.log_blocks where id in (
      select b.id from matriarch.log_blocks b
      where b.connection_id in ${gone}
      limit ${BLOCKS_AT_ONCE}::int)`,
    sql`/* logs.forget_counts */ delete from matriarch.log_counts where ctid in (
      select c.ctid from matriarch.log_counts c
      where c.minute < now() - make_interval(days => ${KEPT_DAYS.counts}::int) or c.connection_id in ${gone}
      limit ${AT_ONCE}::int)`,
    sql`/* logs.forget_sums */ delete from matriarch.log_sums where ctid in (
      select s.ctid from matriarch.log_sums s
      where s.slot < now() - make_interval(days => ${KEPT_DAYS.counts}::int) or s.connection_id in ${gone}
      limit ${AT_ONCE}::int)`,
    sql`/* logs.forget_names */ delete from matriarch.log_name_counts where ctid in (
      select n.ctid from matriarch.log_name_counts n
      where n.slot < now() - make_interval(days => ${KEPT_DAYS.names}::int) or n.connection_id in ${gone}
      limit ${AT_ONCE}::int)`,
    sql`/* logs.forget_gaps */ delete from matriarch.log_gaps where id in (
      select g.id from matriarch.log_gaps g
      where g.noticed_at < now() - make_interval(days => ${KEPT_DAYS.gaps}::int) or g.connection_id in ${gone}
      limit ${AT_ONCE}::int)`,
    sql`/* logs.forget_batches */ delete from matriarch.log_batches where ctid in (
      select b.ctid from matriarch.log_batches b
      where b.received_at < now() - make_interval(days => ${KEPT_DAYS.batches}::int) or b.connection_id in ${gone}
      limit ${AT_ONCE}::int)`,
    sql`/* logs.forget_files */ delete from matriarch.log_files where connection_id in ${gone}`,
    sql`/* logs.forget_sources */ delete from matriarch.log_sources where connection_id in ${gone}`,
  ];
  let rows = 0;
  for (const statement of statements) rows += await db.run(statement);
  return rows;
}
