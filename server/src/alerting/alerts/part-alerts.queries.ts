// The statements for alerts about this product's own work.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { PART } from './alerts.types.ts';

interface OpenPart {
  id: number;
  raised_by: string;
}

export const listOpenParts = (db: Db): Promise<OpenPart[]> =>
  db.rows<OpenPart>(sql`/* alerts.open_parts */
    select a.id, a.raised_by
    from matriarch.alerts a
    where a.status <> 'cleared' and starts_with(a.raised_by, ${PART})`);

/** Where to say it; undefined when no server is watched. */
export const placeOf = (db: Db): Promise<{ id: number } | undefined> =>
  db.maybe<{ id: number }>(sql`/* alerts.part_place */
    select c.id
    from matriarch.connections c
    where c.deleted_at is null and c.is_monitored
    order by c.is_embedded desc, c.id
    limit 1`);
