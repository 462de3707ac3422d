// The statements of the snapshot: which servers it is of, and their alerts.

import { ownAlert } from '../../alerting/alerting.ts';
import type { Severity } from '../../alerting/rules/types.ts';
import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export interface Cut {
  /** Null: all. */
  ids: readonly number[] | null;
  scope: 'server' | 'cluster' | 'group' | null;
  scope_id: number | null;
}

const inScope = ({ ids, scope, scope_id }: Cut): Sql => sql`(
    (${ids}::int[] is null or c.id = any (${ids}::int[]))
    and case ${scope}::text
      when 'server' then c.id = ${scope_id}::int
      when 'cluster' then s.cluster_id = ${scope_id}::int
      when 'group' then s.group_id = ${scope_id}::int
      else true
    end
  )`;

/** Ids of those servers of the cut that `principal` sees, ascending. */
export async function visibleIds(db: Db, principal: Principal, cut: Cut): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`/* overview.servers */
    select c.id
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id
    where c.deleted_at is null and ${inScope(cut)} and ${visible(principal)}
    order by c.id`);
  return rows.map(({ id }) => id);
}

export const countAlerts = (
  db: Db,
  ids: readonly number[],
): Promise<{ connection_id: number; severity: Severity; count: number }[]> =>
  db.rows(sql`/* overview.alert_counts */
    select a.connection_id, a.severity, count(*)::int as count
    from matriarch.alerts a
    where a.status = 'active' and a.connection_id = any (${ids}::int[]) and not ${ownAlert}
    group by a.connection_id, a.severity`);

export interface TopAlert {
  title: string;
  server_name: string;
  severity: Severity;
}

/** Gravest first, then newest. */
export const topAlerts = (db: Db, ids: readonly number[], limit: number): Promise<TopAlert[]> =>
  db.rows(sql`/* overview.top_alerts */
    select a.title, c.name as server_name, a.severity
    from matriarch.alerts a
    join matriarch.connections c on c.id = a.connection_id
    where a.status = 'active' and a.connection_id = any (${ids}::int[]) and not ${ownAlert}
    order by case a.severity when 'critical' then 0 when 'warning' then 1 else 2 end, a.triggered_at desc, a.id desc
    limit ${limit}::int`);
