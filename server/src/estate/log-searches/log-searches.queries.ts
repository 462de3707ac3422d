// The statements of saved searches; each names whose they are.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface SearchRow<F> {
  id: number;
  name: string;
  filter: F;
  created_at: string;
}

const columns = sql`s.id, s.name, s.filter, s.created_at`;

export const listOwn = <F>(db: Db, userId: number): Promise<SearchRow<F>[]> =>
  db.rows<SearchRow<F>>(sql`/* log_searches.list */
    select ${columns}
    from matriarch.log_searches s
    where s.user_id = ${userId}::int
    order by lower(s.name), s.id`);

export interface NewSearch<F> {
  user_id: number;
  name: string;
  filter: F;
  now: string;
  most: number;
}

/** No row comes back where there are as many as there may be. */
export const insertSearch = <F>(
  db: Db,
  { user_id, name, filter, now, most }: NewSearch<F>,
): Promise<SearchRow<F> | undefined> =>
  db.maybe<SearchRow<F>>(sql`/* log_searches.insert */
    insert into matriarch.log_searches as s (user_id, name, filter, created_at)
    select ${user_id}::int, ${name}, ${JSON.stringify(filter)}::jsonb, ${now}::timestamptz
    where (select count(*) from matriarch.log_searches o where o.user_id = ${user_id}::int) < ${most}::int
    returning ${columns}`);

export const renameOwn = <F>(
  db: Db,
  userId: number,
  { id, name }: { id: number; name: string },
): Promise<SearchRow<F> | undefined> =>
  db.maybe<SearchRow<F>>(sql`/* log_searches.rename */
    update matriarch.log_searches s
    set name = ${name}
    where s.id = ${id}::bigint and s.user_id = ${userId}::int
    returning ${columns}`);

export const deleteOwn = (db: Db, userId: number, id: number): Promise<number> =>
  db.run(sql`/* log_searches.delete */
    delete from matriarch.log_searches s where s.id = ${id}::bigint and s.user_id = ${userId}::int`);
