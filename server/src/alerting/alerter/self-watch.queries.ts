// The statements for alerts about this product's own work.
import type { Db } from '../../kernel/db.ts';
import { isAnyFailing } from '../../kernel/part-states.ts';
import { prepared, type Sql, sql } from '../../kernel/sql.ts';
import { PART } from '../alerts/alerts.types.ts';

interface OpenPart {
  id: number;
  raised_by: string;
}

const isOpen: Sql = sql`a.status <> 'cleared' and starts_with(a.raised_by, ${PART})`;

/** Whether any part fails, or is said to. */
export const isAnyPart = (db: Db): Promise<{ is_any: boolean }> =>
  db.one<{ is_any: boolean }>(
    prepared(sql`/* alerts.any_part */
    select ${isAnyFailing} or exists (select from matriarch.alerts a where ${isOpen}) as is_any`),
  );

export const listOpenParts = (db: Db): Promise<OpenPart[]> =>
  db.rows<OpenPart>(sql`/* alerts.open_parts */
    select a.id, a.raised_by
    from matriarch.alerts a
    where ${isOpen}`);

/** Where to say it; undefined when no server is watched. */
export const placeOf = (db: Db): Promise<{ id: number } | undefined> =>
  db.maybe<{ id: number }>(sql`/* alerts.part_place */
    select c.id
    from matriarch.connections c
    where c.deleted_at is null and c.is_monitored
    order by c.is_embedded desc, c.id
    limit 1`);
