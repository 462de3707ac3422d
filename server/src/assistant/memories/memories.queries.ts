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

export interface NewMemory extends Omit<MemoryRow, 'id' | 'created_at' | 'updated_at'> {
  owner_id: number | null;
  now: string;
}

export const insertMemory = (db: Db, one: NewMemory): Promise<{ id: number }> =>
  db.one(sql`/* memories.insert */
    insert into matriarch.memories (
      owner_id, username, scope, category, content, pinned, model_name, created_at, updated_at
    )
    values (
      ${one.owner_id}::int, ${one.username}, ${one.scope}, ${one.category}, ${one.content},
      ${one.pinned}::boolean, ${one.model_name}, ${one.now}::timestamptz, ${one.now}::timestamptz
    )
    returning id`);

export const countOwn = (db: Db, ownerId: number | null): Promise<{ count: number }> =>
  db.one(sql`/* memories.count */
    select count(*)::int as count
    from matriarch.memories m
    where m.owner_id is not distinct from ${ownerId}::int`);

export interface Recall {
  /** In lower case. */
  words: readonly string[];
  category: string | null;
  scope: MemoryScope | null;
  limit: number;
}

/** Pinned ones always; of the others those with a word, the more words the earlier. */
export const recallSeen = (
  db: Db,
  userId: number,
  { words, category, scope, limit }: Recall,
): Promise<MemoryRow[]> =>
  db.rows(sql`/* memories.recall */
    select ${columns}
    from matriarch.memories m
    left join matriarch.users u on u.id = m.owner_id
    cross join lateral (
      select count(*) as hits
      from unnest(${[...words]}::text[]) as word
      where position(word in lower(m.category || ' ' || m.content)) > 0
    ) found
    where ${seenBy(userId)}
      and (m.pinned or found.hits > 0)
      and (${category}::text is null or m.pinned or m.category = ${category}::text)
      and (${scope}::text is null or m.scope = ${scope}::text)
    order by m.pinned desc, case when m.pinned then m.scope end, found.hits desc, m.created_at desc, m.id desc
    limit ${limit}::int`);

export interface PinnedRow {
  scope: MemoryScope;
  category: string;
  content: string;
}

export const listPinned = (db: Db, userId: number, limit: number): Promise<PinnedRow[]> =>
  db.rows(sql`/* memories.pinned */
    select m.scope, m.category, m.content
    from matriarch.memories m
    where m.pinned and ${seenBy(userId)}
    order by m.scope = 'system' desc, m.created_at desc, m.id desc
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
