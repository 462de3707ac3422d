// The statements of conversations; each names whose they are.
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import type { ConversationMessage } from './conversations.contract.ts';

export type Message = Static<typeof ConversationMessage>;

/** Of each user; what was changed longest ago goes when there are more. */
const MOST_CONVERSATIONS = 1000;

export interface ConversationRow {
  id: string;
  username: string;
  title: string;
  provider: string | null;
  model: string | null;
  connection: string | null;
  messages: Message[];
  created_at: string;
  updated_at: string;
}

export interface SummaryRow {
  id: string;
  title: string;
  connection: string | null;
  created_at: string;
  updated_at: string;
  preview: string;
}

/** Null stays as it is; an empty text takes away what may be absent. */
export interface Changes {
  preview: string | null;
  asked: string | null;
  /** As JSON. */
  messages: string | null;
  provider: string | null;
  model: string | null;
  connection: string | null;
}

export interface NewConversation extends Changes {
  id: string;
  title: string;
  preview: string;
  asked: string;
  messages: string;
  now: string;
}

const columns = sql`
  c.id, u.username, c.title, c.provider, c.model, c.connection, c.messages, c.created_at, c.updated_at`;

export interface ListOptions {
  /** A pattern for ILIKE; null for all. */
  pattern: string | null;
  limit: number;
  offset: number;
}

export const listOwn = (
  db: Db,
  userId: number,
  { pattern, limit, offset }: ListOptions,
): Promise<SummaryRow[]> =>
  db.rows(sql`/* conversations.list */
    select c.id, c.title, c.connection, c.created_at, c.updated_at, c.preview
    from matriarch.conversations c
    where c.user_id = ${userId}::int
      and (${pattern}::text is null or c.title ilike ${pattern}::text or c.asked ilike ${pattern}::text)
    order by c.updated_at desc, c.id
    limit ${limit}::int offset ${offset}::int`);

/** The new one, while the oldest of more than a thousand go. */
export const insertOwn = (db: Db, userId: number, made: NewConversation): Promise<ConversationRow> =>
  db.one(sql`/* conversations.insert */
    with gone as (
      delete from matriarch.conversations d
      where d.id in (
        select o.id from matriarch.conversations o
        where o.user_id = ${userId}::int
        order by o.updated_at desc, o.id
        offset ${MOST_CONVERSATIONS - 1}::int)),
    made as (
      insert into matriarch.conversations (
        id, user_id, title, preview, asked, provider, model, connection, messages, created_at, updated_at
      )
      values (
        ${made.id}, ${userId}::int, ${made.title}, ${made.preview}, ${made.asked}, ${made.provider}::text,
        ${made.model}::text, ${made.connection}::text, ${made.messages}::json, ${made.now}::timestamptz, ${made.now}::timestamptz
      )
      returning *)
    select ${columns} from made c join matriarch.users u on u.id = c.user_id`);

export const findOwn = (db: Db, userId: number, id: string): Promise<ConversationRow | undefined> =>
  db.maybe(sql`/* conversations.get */
    select ${columns}
    from matriarch.conversations c
    join matriarch.users u on u.id = c.user_id
    where c.id = ${id} and c.user_id = ${userId}::int`);

export interface OwnConversation {
  user_id: number;
  id: string;
  now: string;
}

export const updateOwn = (
  db: Db,
  { user_id, id, now }: OwnConversation,
  changes: Changes,
): Promise<ConversationRow | undefined> =>
  db.maybe(sql`/* conversations.update */
    with changed as (
      update matriarch.conversations c
      set
        preview = coalesce(${changes.preview}::text, c.preview),
        asked = coalesce(${changes.asked}::text, c.asked),
        messages = coalesce(${changes.messages}::json, c.messages),
        provider = nullif(coalesce(${changes.provider}::text, c.provider), ''),
        model = nullif(coalesce(${changes.model}::text, c.model), ''),
        connection = nullif(coalesce(${changes.connection}::text, c.connection), ''),
        updated_at = ${now}::timestamptz
      where c.id = ${id} and c.user_id = ${user_id}::int
      returning *)
    select ${columns} from changed c join matriarch.users u on u.id = c.user_id`);

export const renameOwn = (
  db: Db,
  { user_id, id, now }: OwnConversation,
  title: string,
): Promise<{ id: string } | undefined> =>
  db.maybe(sql`/* conversations.rename */
    update matriarch.conversations c
    set title = ${title}, updated_at = ${now}::timestamptz
    where c.id = ${id} and c.user_id = ${user_id}::int
    returning c.id`);

/** Those with this id, or all when null; answers how many went. */
export async function deleteOwn(db: Db, userId: number, id: string | null): Promise<number> {
  const { deleted } = await db.one<{ deleted: number }>(sql`/* conversations.delete */
    with gone as (
      delete from matriarch.conversations c
      where c.user_id = ${userId}::int and (${id}::text is null or c.id = ${id}::text)
      returning 1)
    select count(*)::int as deleted from gone`);
  return deleted;
}
