// Which blackouts hold for any of some servers, now or soon, and which schedules will make more.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { holdsFor, targetName } from './targets.queries.ts';

export interface QuietRow {
  scope: string;
  target_name: string | null;
  database_name: string | null;
  reason: string;
  start_time: string;
  end_time: string;
}

/** Those that hold for any of the servers and are not over before `until`. */
export const listQuiet = (
  db: Db,
  ids: readonly number[],
  { now, until }: { now: string; until: string },
): Promise<QuietRow[]> =>
  db.rows(sql`/* blackouts.ahead */
    select b.scope, ${targetName} as target_name, b.database_name, b.reason, b.start_time, b.end_time
    from matriarch.blackouts b
    where b.end_time > ${now}::timestamptz and b.start_time < ${until}::timestamptz
      and exists (
        select
        from matriarch.connection_scopes s
        where s.connection_id = any (${ids}::int[]) and ${holdsFor})
    order by b.start_time, b.id
    limit 100`);

export interface PlannedRow extends Omit<QuietRow, 'start_time' | 'end_time'> {
  cron_expression: string;
  timezone: string;
  duration_minutes: number;
}

export const listPlanned = (db: Db, ids: readonly number[]): Promise<PlannedRow[]> =>
  db.rows(sql`/* blackouts.planned */
    select b.scope, ${targetName} as target_name, b.database_name, b.reason, b.cron_expression, b.timezone, b.duration_minutes
    from matriarch.blackout_schedules b
    where b.enabled
      and exists (
        select
        from matriarch.connection_scopes s
        where s.connection_id = any (${ids}::int[]) and ${holdsFor})
    order by b.id
    limit 100`);
