// The groups of a user after a sign-in, as the datastore has them.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** Names, in order. */
export async function groupsOf(db: Db, username: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`/* test.groups */
    select g.name
    from matriarch.groups g
    join matriarch.group_users gu on gu.group_id = g.id
    join matriarch.users u on u.id = gu.user_id
    where u.username = ${username}
    order by g.name`);
  return rows.map(({ name }) => name);
}
