// The statements of overrides of alert rules. Guards: an override never outlives what it is for. Whoever writes one holds
// that row until the end of the transaction, and whoever deletes a server, a cluster or a group forgets its overrides after.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Operator, Severity } from '../rules/types.ts';
import type { Values } from './alert-rules.queries.ts';
import type { ScopeKind } from './alert-rules.schemas.ts';

/** What an override is for, and of which rule. */
export interface OverrideKey {
  readonly scope: ScopeKind;
  readonly scope_id: number;
  readonly rule_id: number;
}

const TARGETS: Record<ScopeKind, Sql> = {
  server: sql`matriarch.connections t where t.deleted_at is null and`,
  cluster: sql`matriarch.clusters t where`,
  group: sql`matriarch.cluster_groups t where`,
};

export interface OverrideRow extends Values {
  rule_id: number;
  name: string;
  override_operator: Operator | null;
  override_threshold: number | null;
  override_severity: Severity | null;
  override_enabled: boolean | null;
}

/** One row for each rule, with the values of the estate. */
export const listOverrides = (
  db: Db,
  { scope, scope_id }: { scope: ScopeKind; scope_id: number },
  names: readonly string[],
): Promise<OverrideRow[]> =>
  db.rows<OverrideRow>(sql`/* alert_overrides.list */
    select
      r.id as rule_id,
      r.name,
      coalesce(r.operator, r.built_operator) as operator,
      coalesce(r.threshold, r.built_threshold) as threshold,
      coalesce(r.severity, r.built_severity) as severity,
      coalesce(r.is_enabled, r.built_enabled) as is_enabled,
      o.operator as override_operator,
      o.threshold as override_threshold,
      o.severity as override_severity,
      o.is_enabled as override_enabled
    from matriarch.alert_rules r
    left join matriarch.alert_overrides o
      on o.scope = ${scope} and o.scope_id = ${scope_id} and o.rule_id = r.id
    where r.name = any (${names}::text[])`);

/** False when what the override is for has gone meanwhile. */
export async function putOverride(db: Db, key: OverrideKey, values: Values): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`/* alert_overrides.put */
    with target as materialized (
      select t.id
      from ${TARGETS[key.scope]} t.id = ${key.scope_id}
      for share
    ), put as (
      insert into matriarch.alert_overrides (
        scope, scope_id, rule_id, operator, threshold, severity, is_enabled
      )
      select
        ${key.scope}, target.id, ${key.rule_id}::int, ${values.operator}::text,
        ${values.threshold}::double precision, ${values.severity}::text, ${values.is_enabled}::boolean
      from target
      on conflict (scope, scope_id, rule_id) do update
      set
        operator = excluded.operator,
        threshold = excluded.threshold,
        severity = excluded.severity,
        is_enabled = excluded.is_enabled,
        updated_at = now()
    )
    select exists (select from target) as found`);
  return found;
}

/** How many there were. */
export function dropOverride(db: Db, key: OverrideKey): Promise<number> {
  return db.run(sql`/* alert_overrides.drop */
    delete from matriarch.alert_overrides o
    where o.scope = ${key.scope} and o.scope_id = ${key.scope_id} and o.rule_id = ${key.rule_id}`);
}

export interface ContextRow {
  connection_id: number;
  server_name: string;
  cluster_id: number | null;
  cluster_name: string | null;
  group_id: number | null;
  group_name: string | null;
  /** Overrides of the rule that reach the connection, by scope. */
  overrides: Partial<
    Record<ScopeKind, { operator: Operator; threshold: number; severity: Severity; enabled: boolean }>
  >;
}

/** Where a connection stands, and what is set for the rule there. */
export const findContext = (
  db: Db,
  { connection_id, rule_id }: { connection_id: number; rule_id: number },
): Promise<ContextRow | undefined> =>
  db.maybe<ContextRow>(sql`/* alert_overrides.context */
    select
      c.id as connection_id, c.name as server_name, l.id as cluster_id, l.name as cluster_name,
      g.id as group_id, g.name as group_name,
      (
        select coalesce(jsonb_object_agg(o.scope, jsonb_build_object(
          'operator', o.operator, 'threshold', o.threshold, 'severity', o.severity, 'enabled', o.is_enabled
        )), '{}')
        from matriarch.alert_overrides o
        where o.rule_id = ${rule_id}
          and (o.scope, o.scope_id) in (('server', c.id), ('cluster', l.id), ('group', g.id))
      ) as overrides
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    left join matriarch.clusters l on l.id = s.cluster_id
    left join matriarch.cluster_groups g on g.id = s.group_id
    where s.connection_id = ${connection_id}`);
