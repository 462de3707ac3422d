// The statements of what probes are set to. What is in force comes from one view, matriarch.effective_probe_settings;
// a value that is the built-in one is stored as null, so that it follows the program.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import {
  type Hierarchy,
  hierarchyOf,
  type OverrideValues,
  type Reaching,
  reachingOverrides,
} from '../scopes/overrides.queries.ts';
import type { ScopeKind } from '../scopes/scopes.schemas.ts';

export type Level = ScopeKind | 'global' | 'built_in';

export type Values = OverrideValues<'probe'>;

/** Every change of a row takes it: collectors look every second whether there is a new one, and need no hint. */
const NEXT_REVISION = sql`nextval('matriarch.probe_settings_revisions')`;

export interface BuiltProbe {
  readonly name: string;
  readonly intervalSeconds: number;
  readonly retentionDays: number;
}

/** A row for each probe, with its values as built; what people set stays. */
export async function syncConfigs(db: Db, probes: readonly BuiltProbe[]): Promise<void> {
  await db.run(sql`/* probe_configs.sync */
    with built as (
      select *
      from unnest(
        ${probes.map(({ name }) => name)}::text[],
        ${probes.map(({ intervalSeconds }) => intervalSeconds)}::int[],
        ${probes.map(({ retentionDays }) => retentionDays)}::int[]
      ) as b (probe_name, interval_seconds, retention_days)
    ), known as (
      select p.probe_name
      from matriarch.probe_configs p
      join built b using (probe_name)
      order by p.probe_name
      for update of p
    ), changed as (
      update matriarch.probe_configs p
      set
        default_interval_seconds = b.interval_seconds,
        default_retention_days = b.retention_days,
        revision = ${NEXT_REVISION}
      from built b
      join known k using (probe_name)
      where p.probe_name = b.probe_name
        and (p.default_interval_seconds, p.default_retention_days)
          is distinct from (b.interval_seconds, b.retention_days)
    )
    insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
    select b.probe_name, b.interval_seconds, b.retention_days
    from built b
    where b.probe_name not in (select k.probe_name from known k)
    order by b.probe_name
    on conflict (probe_name) do nothing`);
}

export interface ConfigRow extends Values {
  id: number;
  connection_id: number | null;
  probe_name: string;
  created_at: string;
  updated_at: string;
}

const globalValues = sql`
  coalesce(p.is_enabled, true) as is_enabled,
  coalesce(p.interval_seconds, p.default_interval_seconds) as interval_seconds,
  coalesce(p.retention_days, p.default_retention_days) as retention_days`;

const globalRow = sql`
  p.id, null::int as connection_id, p.probe_name, ${globalValues}, p.created_at, p.updated_at`;

export const listGlobal = (db: Db, names: readonly string[]): Promise<ConfigRow[]> =>
  db.rows<ConfigRow>(sql`/* probe_configs.list */
    select ${globalRow}
    from matriarch.probe_configs p
    where p.probe_name = any (${names}::text[])
    order by p.probe_name collate "C"`);

export const findGlobal = (db: Db, id: number, names: readonly string[]): Promise<ConfigRow | undefined> =>
  db.maybe<ConfigRow>(sql`/* probe_configs.find */
    select ${globalRow}
    from matriarch.probe_configs p
    where p.id = ${id} and p.probe_name = any (${names}::text[])`);

/** Changed when the override in force was. */
export const listEffective = (db: Db, connectionId: number, names: readonly string[]): Promise<ConfigRow[]> =>
  db.rows<ConfigRow>(sql`/* probe_configs.effective */
    select
      p.id, e.connection_id, p.probe_name, e.is_enabled, e.interval_seconds, e.retention_days, p.created_at,
      coalesce(o.updated_at, p.updated_at) as updated_at
    from matriarch.effective_probe_settings e
    join matriarch.probe_configs p on p.probe_name = e.probe_name
    left join matriarch.probe_overrides o
      on o.scope = e.override_level and o.scope_id = e.override_scope_id and o.probe_name = e.probe_name
    where e.connection_id = ${connectionId} and e.probe_name = any (${names}::text[])
    order by p.probe_name collate "C"`);

export interface ConfigChange extends Partial<Values> {
  id: number;
  names: readonly string[];
}

/** Absent members stay. */
export function updateGlobal(db: Db, change: ConfigChange): Promise<ConfigRow | undefined> {
  const { id, names, is_enabled = null, interval_seconds = null, retention_days = null } = change;
  return db.maybe<ConfigRow>(sql`/* probe_configs.update */
    update matriarch.probe_configs p
    set
      is_enabled = nullif(coalesce(${is_enabled}::boolean, p.is_enabled), true),
      interval_seconds = nullif(coalesce(${interval_seconds}::int, p.interval_seconds), p.default_interval_seconds),
      retention_days = nullif(coalesce(${retention_days}::int, p.retention_days), p.default_retention_days),
      revision = ${NEXT_REVISION},
      updated_at = now()
    where p.id = ${id} and p.probe_name = any (${names}::text[])
    returning ${globalRow}`);
}

export const resetGlobal = (db: Db, id: number, names: readonly string[]): Promise<ConfigRow | undefined> =>
  db.maybe<ConfigRow>(sql`/* probe_configs.reset */
    update matriarch.probe_configs p
    set
      is_enabled = null,
      interval_seconds = null,
      retention_days = null,
      revision = ${NEXT_REVISION},
      updated_at = now()
    where p.id = ${id} and p.probe_name = any (${names}::text[])
    returning ${globalRow}`);

export interface OverviewRow extends Values {
  id: number;
  probe_name: string;
  default_interval_seconds: number;
  default_retention_days: number;
  overridden_connections: number;
  disabled_connections: number;
  connections: number;
  cost_percent_mean: number | null;
  cost_percent_most: number | null;
  measured_connections: number;
}

/** One statement for all probes and every visible connection. */
export const listOverview = (
  db: Db,
  principal: Principal,
  names: readonly string[],
): Promise<OverviewRow[]> =>
  db.rows<OverviewRow>(sql`/* probe_configs.overview */
    with seen as materialized (
      select c.id
      from matriarch.connections c
      where c.deleted_at is null and ${visible(principal)}
    ), setting as (
      select
        e.probe_name,
        count(*) filter (where e.override_scope_id is not null)::int as overridden,
        count(*) filter (where not e.is_enabled)::int as disabled
      from matriarch.effective_probe_settings e
      join seen on seen.id = e.connection_id
      group by e.probe_name
    ), cost as (
      select
        k.probe, avg(k.cost_percent) as mean, max(k.cost_percent) as most, count(k.cost_percent)::int as measured
      from matriarch.probe_costs k
      join seen on seen.id = k.connection_id
      group by k.probe
    )
    select
      p.id, p.probe_name, ${globalValues}, p.default_interval_seconds, p.default_retention_days,
      coalesce(s.overridden, 0) as overridden_connections,
      coalesce(s.disabled, 0) as disabled_connections,
      (select count(*) from seen)::int as connections,
      cost.mean as cost_percent_mean,
      cost.most as cost_percent_most,
      coalesce(cost.measured, 0) as measured_connections
    from matriarch.probe_configs p
    left join setting s on s.probe_name = p.probe_name
    left join cost on cost.probe = p.probe_name
    where p.probe_name = any (${names}::text[])
    order by p.probe_name collate "C"`);

export interface SettingRow extends Values, Omit<Hierarchy, 'connection_id'> {
  config_id: number;
  probe_name: string;
  override_level: Level;
  /** What is set for the whole estate, as far as anything is; and the values as built. */
  global: Values | null;
  built_in: Values;
  overrides: Reaching<Values>;
}

const valuesOf = (row: Sql) => sql`jsonb_build_object(
  'is_enabled', ${row}.is_enabled, 'interval_seconds', ${row}.interval_seconds, 'retention_days', ${row}.retention_days
)`;

/** One row for each probe, with everything that is set for this connection. */
export const listSettings = (db: Db, connectionId: number, names: readonly string[]): Promise<SettingRow[]> =>
  db.rows<SettingRow>(sql`/* probe_configs.settings */
    with place as ${hierarchyOf(connectionId)}, reaching as ${reachingOverrides('probe')}
    select
      p.id as config_id, p.probe_name, e.is_enabled, e.interval_seconds, e.retention_days, e.override_level,
      case when coalesce(p.is_enabled::text, p.interval_seconds::text, p.retention_days::text) is not null then
        ${valuesOf(sql`estate`)}
      end as global,
      jsonb_build_object(
        'is_enabled', true, 'interval_seconds', p.default_interval_seconds, 'retention_days', p.default_retention_days
      ) as built_in,
      coalesce(r.overrides, '{}') as overrides,
      place.server_name, place.cluster_id, place.cluster_name, place.group_id, place.group_name
    from place
    join matriarch.effective_probe_settings e on e.connection_id = place.connection_id
    join matriarch.probe_configs p on p.probe_name = e.probe_name
    cross join lateral (select ${globalValues}) estate
    left join reaching r on r.probe_name = p.probe_name
    where p.probe_name = any (${names}::text[])
    order by p.probe_name collate "C"`);
