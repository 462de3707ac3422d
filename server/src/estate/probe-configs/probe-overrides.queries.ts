// The statements of overrides. Guards: an override never outlives what it is for. Whoever writes one holds that row
// until the end of the transaction, and whoever deletes a server, a cluster or a group forgets its overrides after.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { type Level, NEXT_REVISION, type Scope, type Values } from './probe-configs.queries.ts';

/** What an override is for, and of which probe. */
export interface OverrideKey {
  readonly scope: Scope;
  readonly scope_id: number;
  readonly probe_name: string;
}

const TARGETS: Record<Scope, Sql> = {
  server: sql`matriarch.connections t where t.deleted_at is null and`,
  cluster: sql`matriarch.clusters t where`,
  group: sql`matriarch.cluster_groups t where`,
};

export interface OverrideRow {
  probe_name: string;
  default_enabled: boolean;
  default_interval_seconds: number;
  default_retention_days: number;
  has_override: boolean;
  override_enabled: boolean | null;
  override_interval_seconds: number | null;
  override_retention_days: number | null;
}

export const listOverrides = (
  db: Db,
  { scope, scope_id }: { scope: Scope; scope_id: number },
  names: readonly string[],
): Promise<OverrideRow[]> =>
  db.rows<OverrideRow>(sql`/* probe_overrides.list */
    select
      p.probe_name,
      coalesce(p.is_enabled, true) as default_enabled,
      coalesce(p.interval_seconds, p.default_interval_seconds) as default_interval_seconds,
      coalesce(p.retention_days, p.default_retention_days) as default_retention_days,
      o.scope is not null as has_override,
      o.is_enabled as override_enabled,
      o.interval_seconds as override_interval_seconds,
      o.retention_days as override_retention_days
    from matriarch.probe_configs p
    left join matriarch.probe_overrides o
      on o.scope = ${scope} and o.scope_id = ${scope_id} and o.probe_name = p.probe_name
    where p.probe_name = any (${names}::text[])
    order by p.probe_name collate "C"`);

/** False when what the override is for has gone meanwhile. What is set already is not written again. */
export async function putOverride(db: Db, key: OverrideKey, values: Values): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`/* probe_overrides.put */
    with target as materialized (
      select t.id
      from ${TARGETS[key.scope]} t.id = ${key.scope_id}
      for share
    ), put as (
      insert into matriarch.probe_overrides as o (
        scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days
      )
      select
        ${key.scope}, target.id, ${key.probe_name}, ${values.is_enabled}::boolean, ${values.interval_seconds}::int,
        ${values.retention_days}::int
      from target
      on conflict (scope, scope_id, probe_name) do update
      set
        is_enabled = excluded.is_enabled,
        interval_seconds = excluded.interval_seconds,
        retention_days = excluded.retention_days,
        revision = ${NEXT_REVISION},
        updated_at = now()
      where (o.is_enabled, o.interval_seconds, o.retention_days)
        is distinct from (excluded.is_enabled, excluded.interval_seconds, excluded.retention_days)
    )
    select exists (select from target) as found`);
  return found;
}

/** How many there were. */
export function dropOverride(db: Db, key: OverrideKey): Promise<number> {
  return db.run(sql`/* probe_overrides.drop */
    delete from matriarch.probe_overrides o
    where o.scope = ${key.scope} and o.scope_id = ${key.scope_id} and o.probe_name = ${key.probe_name}`);
}

export interface EffectiveRow {
  connection_id: number;
  probe_name: string;
  is_enabled: boolean;
  interval_seconds: number;
  override_level: Level;
  /** Of the cluster or group whose override it is. */
  scope_name: string | null;
}

/** What differs from how the probes are built, for all of these connections. */
export const listChanged = (db: Db, connectionIds: readonly number[]): Promise<EffectiveRow[]> =>
  db.rows<EffectiveRow>(sql`/* probe_configs.changed */
    select
      e.connection_id, e.probe_name, e.is_enabled, e.interval_seconds, e.override_level,
      coalesce(l.name, g.name) as scope_name
    from matriarch.effective_probe_settings e
    left join matriarch.clusters l on e.override_level = 'cluster' and l.id = e.override_scope_id
    left join matriarch.cluster_groups g on e.override_level = 'group' and g.id = e.override_scope_id
    where e.connection_id = any (${connectionIds}::int[]) and e.override_level <> 'built_in'
    order by e.connection_id, e.probe_name`);
