// The statements of memories: one's own and those of everybody.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { MEMORY_SCOPES } from './memories.contract.ts';

export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export interface MemoryRow {
  id: number;
  username: string;
  scope: MemoryScope;
  category: string;
  content: string;
  pinned: boolean;
  model_name: string;
  created_at: string;
  updated_at: string;
}

const columns = sql`
  m.id, coalesce(u.username, m.username) as username, m.scope, m.category, m.content, m.pinned, m.model_name,
  m.created_at, m.updated_at`;

const seenBy = (userId: number): Sql => sql`(m.scope = 'system' or m.owner_id = ${userId}::int)`;

export interface MemoryFilter {
  category: string | null;
  pinned: boolean | null;
  limit: number;
}

export const listSeen = (
  db: Db,
  userId: number,
  { category, pinned, limit }: MemoryFilter,
): Promise<MemoryRow[]> =>
  db.rows(sql`/* memories.list */
    select ${columns}
    from matriarch.memories m
    left join matriarch.users u on u.id = m.owner_id
    where ${seenBy(userId)}
      and (${category}::text is null or m.category = ${category}::text)
      and (${pinned}::boolean is null or m.pinned = ${pinned}::boolean)
    order by m.pinned desc, m.created_at desc, m.id desc
    limit ${limit}::int`);

export const findSeen = (db: Db, userId: number, id: number): Promise<{ scope: MemoryScope } | undefined> =>
  db.maybe(sql`/* memories.find */
    select m.scope from matriarch.memories m where m.id = ${id}::int and ${seenBy(userId)}`);

export const deleteById = (db: Db, id: number): Promise<number> =>
  db.run(sql`/* memories.delete */ delete from matriarch.memories m where m.id = ${id}::int`);

export interface Pin {
  id: number;
  pinned: boolean;
  now: string;
}

export const setPinned = (
  db: Db,
  { id, pinned, now }: Pin,
): Promise<{ id: number; pinned: boolean } | undefined> =>
  db.maybe(sql`/* memories.pin */
    update matriarch.memories m
    set pinned = ${pinned}::boolean, updated_at = ${now}::timestamptz
    where m.id = ${id}::int
    returning m.id, m.pinned`);
