// The statements of schedules. Guards: every read is cut to what the caller may see; each change counts up the revision, so
// that no blackout is made of what was read before it.

import type { Principal } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { isFor, type Target, type TargetFilter, targetName, visibleTarget } from './targets.queries.ts';

export interface ScheduleValues extends Target {
  name: string;
  cron_expression: string;
  duration_minutes: number;
  timezone: string;
  reason: string;
  enabled: boolean;
  /** What was due up to then makes no blackout. */
  since: string;
}

export interface ScheduleRow extends ScheduleValues {
  id: number;
  created_by: string;
  created_at: string;
  updated_at: string;
  target_name: string | null;
}

const columns = sql`
  b.id, b.scope, b.scope_id, b.database_name, b.name, b.cron_expression, b.duration_minutes, b.timezone, b.reason,
  b.enabled, b.since, b.created_by, b.created_at, b.updated_at, ${targetName} as target_name`;

export interface ScheduleFilter extends TargetFilter {
  enabled?: boolean | undefined;
}

export interface ScheduleQuery {
  principal: Principal;
  filter: ScheduleFilter;
}

const fits = ({ principal, filter }: ScheduleQuery): Sql => sql`${isFor(filter)}
      and (${filter.enabled ?? null}::boolean is null or b.enabled = ${filter.enabled ?? null}::boolean)
      and ${visibleTarget(principal)}`;

export const listRows = (
  db: Db,
  query: ScheduleQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<ScheduleRow[]> =>
  db.rows<ScheduleRow>(sql`/* blackout_schedules.list */
    select ${columns}
    from matriarch.blackout_schedules b
    where ${fits(query)}
    order by b.name, b.id
    limit ${limit} offset ${offset}`);

export async function countRows(db: Db, query: ScheduleQuery): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`/* blackout_schedules.count */
    select count(*) as count
    from matriarch.blackout_schedules b
    where ${fits(query)}`);
  return count;
}

export const findRow = (db: Db, principal: Principal, id: number): Promise<ScheduleRow | undefined> =>
  db.maybe<ScheduleRow>(sql`/* blackout_schedules.find */
    select ${columns}
    from matriarch.blackout_schedules b
    where b.id = ${id} and ${visibleTarget(principal)}`);

/** The same, and nobody else changes it until the end of the transaction. */
export const lockRow = (db: Db, principal: Principal, id: number): Promise<ScheduleRow | undefined> =>
  db.maybe<ScheduleRow>(sql`/* blackout_schedules.lock */
    select ${columns}
    from matriarch.blackout_schedules b
    where b.id = ${id} and ${visibleTarget(principal)}
    for update of b`);

export const insertRow = (
  db: Db,
  row: ScheduleValues,
  { created_by, at }: { created_by: string; at: string },
): Promise<ScheduleRow> =>
  db.one<ScheduleRow>(sql`/* blackout_schedules.create */
    insert into matriarch.blackout_schedules as b (
      scope, scope_id, database_name, name, cron_expression, duration_minutes, timezone, reason, enabled, since,
      created_by, created_at, updated_at
    )
    values (
      ${row.scope}, ${row.scope_id}::int, ${row.database_name}::text, ${row.name}, ${row.cron_expression},
      ${row.duration_minutes}, ${row.timezone}, ${row.reason}, ${row.enabled}, ${row.since}::timestamptz,
      ${created_by}, ${at}::timestamptz, ${at}::timestamptz
    )
    returning ${columns}`);

export const updateRow = (
  db: Db,
  row: ScheduleValues,
  { id, at }: { id: number; at: string },
): Promise<ScheduleRow> =>
  db.one<ScheduleRow>(sql`/* blackout_schedules.update */
    update matriarch.blackout_schedules b
    set
      scope = ${row.scope},
      scope_id = ${row.scope_id}::int,
      database_name = ${row.database_name}::text,
      name = ${row.name},
      cron_expression = ${row.cron_expression},
      duration_minutes = ${row.duration_minutes},
      timezone = ${row.timezone},
      reason = ${row.reason},
      enabled = ${row.enabled},
      since = ${row.since}::timestamptz,
      revision = b.revision + 1,
      updated_at = ${at}::timestamptz
    where b.id = ${id}
    returning ${columns}`);

export async function deleteRow(db: Db, id: number): Promise<void> {
  await db.run(sql`/* blackout_schedules.delete */
    delete from matriarch.blackout_schedules b where b.id = ${id}`);
}
