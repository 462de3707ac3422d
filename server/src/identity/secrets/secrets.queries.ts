// SQL of the data keys: random keys that encrypt secrets, each wrapped by the key of the secret key file.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface DataKeyRow {
  id: number;
  master_key_id: string;
  wrapped: Buffer;
}

export function listDataKeys(db: Db): Promise<DataKeyRow[]> {
  return db.rows<DataKeyRow>(sql`/* secrets.list_data_keys */
    select k.id, k.master_key_id, k.wrapped
    from matriarch.data_keys k
    order by k.id`);
}

export function findDataKey(db: Db, id: number): Promise<DataKeyRow | undefined> {
  return db.maybe<DataKeyRow>(sql`/* secrets.find_data_key */
    select k.id, k.master_key_id, k.wrapped
    from matriarch.data_keys k
    where k.id = ${id}`);
}

/** Lets one process at a time make the first data key; held to the end of the transaction. */
export async function lockDataKeys(db: Db): Promise<void> {
  await db.run(sql`/* secrets.lock_data_keys */
    lock table matriarch.data_keys in share row exclusive mode`);
}

export async function nextDataKeyId(db: Db): Promise<number> {
  const row = await db.one<{ id: number }>(sql`/* secrets.next_data_key_id */
    select nextval(pg_get_serial_sequence('matriarch.data_keys', 'id')) as id`);
  return row.id;
}

export async function insertDataKey(db: Db, row: DataKeyRow): Promise<void> {
  await db.run(sql`/* secrets.insert_data_key */
    insert into matriarch.data_keys (id, master_key_id, wrapped)
    values (${row.id}, ${row.master_key_id}, ${row.wrapped})`);
}

export async function deleteDataKeys(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`/* secrets.delete_data_keys */
    delete from matriarch.data_keys where id = any(${ids}::int[])`);
}
