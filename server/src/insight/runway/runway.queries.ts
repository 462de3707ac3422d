// The statements that keep what runs out, and read it.

import type { RunwayRow } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** Monitored servers for which it was found too long ago, or never, and new ones sooner; those that wait longest first. */
export const dueServers = (
  db: Db,
  every: { seconds: number; young_seconds: number; most: number },
  without: readonly number[] = [],
): Promise<{ connection_id: number }[]> =>
  db.rows(sql`/* runway.due */
    select c.id as connection_id
    from matriarch.connections c
    left join matriarch.runway r on r.connection_id = c.id
    where c.deleted_at is null and c.is_monitored and c.id <> all (${without}::int[])
      and (
        r.made_at is null
        or r.made_at < now() - make_interval(
          secs => case
            when c.created_at > now() - interval '15 minutes' then ${every.young_seconds}::int
            else ${every.seconds}::int
          end
        )
      )
    order by r.made_at nulls first, c.id
    limit ${every.most}::int`);

export interface KeptRunway {
  connection_id: number;
  items: readonly RunwayRow[];
}

export const saveRunway = (db: Db, kept: readonly KeptRunway[]): Promise<number> =>
  db.run(sql`/* runway.save */
    insert into matriarch.runway as r (connection_id, made_at, items)
    select k.connection_id, now(), k.items
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as k (connection_id int, items jsonb)
    join matriarch.connections c on c.id = k.connection_id and c.deleted_at is null
    on conflict (connection_id) do update set made_at = excluded.made_at, items = excluded.items`);

export interface RunwayOf extends KeptRunway {
  /** RFC 3339. */
  made_at: string;
}

/** Of these servers; those for which it was never found are not there. */
export const findRunway = (db: Db, connection_ids: readonly number[]): Promise<RunwayOf[]> =>
  db.rows(sql`/* runway.find */
    select r.connection_id, r.made_at, r.items
    from matriarch.runway r
    where r.connection_id = any (${connection_ids}::int[])`);
