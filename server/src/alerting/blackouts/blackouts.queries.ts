// The statements of blackouts. Guards: every read is cut to what the caller may see.

import type { Principal } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import {
  holdsFor,
  isFor,
  type Target,
  type TargetFilter,
  targetName,
  visibleTarget,
} from './targets.queries.ts';

export interface BlackoutRow extends Target {
  id: number;
  reason: string;
  start_time: string;
  end_time: string;
  created_by: string;
  created_at: string;
  schedule_id: number | null;
  target_name: string | null;
}

const columns = sql`
  b.id, b.scope, b.scope_id, b.database_name, b.reason, b.start_time, b.end_time, b.created_by, b.created_at,
  b.schedule_id, ${targetName} as target_name`;

export interface BlackoutFilter extends TargetFilter {
  active?: boolean | undefined;
  covers_connection_id?: number | undefined;
  covers_any?: readonly number[] | undefined;
  schedule_id?: number | undefined;
  start_time?: string | undefined;
  end_time?: string | undefined;
}

export interface BlackoutQuery {
  principal: Principal;
  filter: BlackoutFilter;
  /** The time now. */
  now: string;
}

function fits({ principal, filter, now }: BlackoutQuery): Sql {
  const { active = null, covers_connection_id = null, covers_any = null, schedule_id = null } = filter;
  const { start_time = null, end_time = null } = filter;
  return sql`${isFor(filter)}
      and (${active}::boolean is null
        or (b.start_time <= ${now}::timestamptz and b.end_time > ${now}::timestamptz) = ${active}::boolean)
      and (${schedule_id}::int is null or b.schedule_id = ${schedule_id}::int)
      and (${start_time}::timestamptz is null or b.end_time > ${start_time}::timestamptz)
      and (${end_time}::timestamptz is null or b.start_time < ${end_time}::timestamptz)
      and (${covers_connection_id}::int is null or exists (
        select
        from matriarch.connection_scopes s
        where s.connection_id = ${covers_connection_id}::int and ${holdsFor}
      ))
      and (${covers_any}::int[] is null or exists (
        select
        from matriarch.connection_scopes s
        where s.connection_id = any (${covers_any}::int[]) and ${holdsFor}
      ))
      and ${visibleTarget(principal)}`;
}

export const listRows = (
  db: Db,
  query: BlackoutQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<BlackoutRow[]> =>
  db.rows<BlackoutRow>(sql`/* blackouts.list */
    select ${columns}
    from matriarch.blackouts b
    where ${fits(query)}
    order by b.start_time desc, b.id desc
    limit ${limit} offset ${offset}`);

export async function countRows(db: Db, query: BlackoutQuery): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`/* blackouts.count */
    select count(*) as count
    from matriarch.blackouts b
    where ${fits(query)}`);
  return count;
}

export const findRow = (db: Db, principal: Principal, id: number): Promise<BlackoutRow | undefined> =>
  db.maybe<BlackoutRow>(sql`/* blackouts.find */
    select ${columns}
    from matriarch.blackouts b
    where b.id = ${id} and ${visibleTarget(principal)}`);

/** The same, and nobody else changes it until the end of the transaction. */
export const lockRow = (db: Db, principal: Principal, id: number): Promise<BlackoutRow | undefined> =>
  db.maybe<BlackoutRow>(sql`/* blackouts.lock */
    select ${columns}
    from matriarch.blackouts b
    where b.id = ${id} and ${visibleTarget(principal)}
    for update of b`);

export interface NewBlackout extends Target {
  reason: string;
  start_time: string;
  end_time: string;
  created_by: string;
  created_at: string;
}

export const insertRow = (db: Db, row: NewBlackout): Promise<BlackoutRow> =>
  db.one<BlackoutRow>(sql`/* blackouts.create */
    insert into matriarch.blackouts as b (
      scope, scope_id, database_name, reason, start_time, end_time, created_by, created_at
    )
    values (
      ${row.scope}, ${row.scope_id}::int, ${row.database_name}::text, ${row.reason}, ${row.start_time}::timestamptz,
      ${row.end_time}::timestamptz, ${row.created_by}, ${row.created_at}::timestamptz
    )
    returning ${columns}`);

export const updateRow = (
  db: Db,
  { id, reason, end_time }: { id: number; reason: string; end_time: string },
): Promise<BlackoutRow> =>
  db.one<BlackoutRow>(sql`/* blackouts.update */
    update matriarch.blackouts b
    set reason = ${reason}, end_time = ${end_time}::timestamptz
    where b.id = ${id}
    returning ${columns}`);

export async function deleteRow(db: Db, id: number): Promise<void> {
  await db.run(sql`/* blackouts.delete */
    delete from matriarch.blackouts b where b.id = ${id}`);
}
