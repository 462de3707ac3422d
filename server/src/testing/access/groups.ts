// Groups for tests, made directly in the tables, so that a test of access does not lean on the code that manages them.
import { randomBytes } from 'node:crypto';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface GroupOptions {
  name?: string;
  users?: readonly number[];
  /** Groups that are members of this one. */
  groups?: readonly number[];
  /** Level by connection id; 0 is every connection. */
  connections?: Readonly<Record<number, 'read' | 'read_write'>>;
  mcp?: readonly string[];
  permissions?: readonly string[];
}

/** Answers the id of a new group. */
export async function makeGroup(db: Db, options: GroupOptions = {}): Promise<number> {
  const name = options.name ?? `group-${randomBytes(4).toString('hex')}`;
  const granted = Object.entries(options.connections ?? {});
  const { id } = await db.one<{ id: number }>(sql`/* test.group */
    with made as (insert into matriarch.groups (name) values (${name}) returning id),
    users as (
      insert into matriarch.group_users (group_id, user_id)
      select made.id, member from made, unnest(${options.users ?? []}::int[]) as member),
    groups as (
      insert into matriarch.group_groups (group_id, member_id)
      select made.id, member from made, unnest(${options.groups ?? []}::int[]) as member),
    connections as (
      insert into matriarch.group_connections (group_id, connection_id, access_level)
      select made.id, granted.id, granted.level
      from made, unnest(${granted.map(([key]) => Number(key))}::int[], ${granted.map(([, level]) => level)}::text[])
        as granted (id, level)),
    mcp as (
      insert into matriarch.group_mcp_privileges (group_id, identifier)
      select made.id, name from made, unnest(${options.mcp ?? []}::text[]) as name),
    permissions as (
      insert into matriarch.group_permissions (group_id, permission)
      select made.id, name from made, unnest(${options.permissions ?? []}::text[]) as name)
    select id from made`);
  return id;
}
