// How large things are where one server keeps everything: plain PostgreSQL and TimescaleDB.
import type { Db } from '../../../kernel/db.ts';
import { sql } from '../../../kernel/sql.ts';
import type { TableSize } from './types.ts';

export const tableSizes = (db: Db, tables: readonly string[]): Promise<TableSize[]> =>
  db.rows<TableSize>(sql`
    /* store.table_sizes */
    select
      t.name,
      pg_catalog.pg_total_relation_size(c.oid) as size_bytes,
      case when c.reltuples >= 0 then c.reltuples::bigint end as rows
    from unnest(${tables}::text[]) t (name)
    join pg_catalog.pg_class c on c.oid = t.name::regclass
    order by 2 desc, 1`);

export async function databaseSize(db: Db): Promise<number> {
  const { size_bytes } = await db.one<{ size_bytes: number }>(sql`
    /* store.database_size */
    select pg_catalog.pg_database_size(current_database()) as size_bytes`);
  return size_bytes;
}
