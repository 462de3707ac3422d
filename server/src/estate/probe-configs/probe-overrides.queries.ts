// The statements of probes as they are overridden for a scope, and of what holds for connections because of that.
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { overrideAt } from '../scopes/overrides.queries.ts';
import type { Scope } from '../scopes/scopes.schemas.ts';
import type { Level } from './probe-configs.queries.ts';
import type { ProbeOverride } from './probe-configs.schemas.ts';

export interface OverrideRow extends Omit<Static<typeof ProbeOverride>, 'name' | 'description'> {
  probe_name: string;
}

export const listOverrides = (db: Db, scope: Scope, names: readonly string[]): Promise<OverrideRow[]> =>
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
    ${overrideAt('probe', scope, sql`p.probe_name`)}
    where p.probe_name = any (${names}::text[])
    order by p.probe_name collate "C"`);

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
