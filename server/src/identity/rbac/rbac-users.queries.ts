// SQL of what a deleted user leaves behind, and of names that are taken.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** The names of the groups that each user is a direct member of, by the id of the user. */
export async function listDirectGroups(db: Db): Promise<ReadonlyMap<number, string[]>> {
  const rows = await db.rows<{ user_id: number; names: string[] }>(sql`/* rbac.list_direct_groups */
    select gu.user_id, array_agg(g.name order by lower(g.name), g.id) as names
    from matriarch.group_users gu
    join matriarch.groups g on g.id = gu.group_id
    group by gu.user_id`);
  return new Map(rows.map(({ user_id, names }) => [user_id, names]));
}

export interface Inheritance {
  from: { id: number; username: string };
  heir_id: number;
}

/** Connections keep their names; one that the heir has already gets the old owner in brackets, and its id if need be. */
export async function passConnections(db: Db, { from, heir_id }: Inheritance): Promise<number> {
  return db.run(sql`/* rbac.pass_connections */
    update matriarch.connections c
    set owner_id = ${heir_id},
      name = case
        when c.deleted_at is not null or not exists (
          select 1 from matriarch.connections o
          where o.owner_id = ${heir_id} and o.deleted_at is null and lower(o.name) = lower(c.name)
        ) then c.name
        else left(c.name, 100) || ' (' || ${from.username}::text || ', ' || c.id || ')'
      end,
      updated_at = now()
    where c.owner_id = ${from.id}`);
}

export async function passClusterGroups(db: Db, { from, heir_id }: Inheritance): Promise<number> {
  return db.run(sql`/* rbac.pass_cluster_groups */
    update matriarch.cluster_groups
    set owner_id = ${heir_id}, updated_at = now()
    where owner_id = ${from.id}`);
}
