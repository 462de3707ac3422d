// The statements of alert rules as they are overridden for a scope.
import {
  type Hierarchy,
  hierarchyOf,
  overrideAt,
  type Reaching,
  reachingOverrides,
  type Scope,
} from '../../estate/estate.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Operator, Severity } from '../rules/types.ts';
import type { Values } from './alert-rules.queries.ts';

export interface OverrideRow extends Values {
  rule_id: number;
  name: string;
  override_operator: Operator | null;
  override_threshold: number | null;
  override_severity: Severity | null;
  override_enabled: boolean | null;
}

/** One row for each rule, with the values of the estate. */
export const listOverrides = (db: Db, scope: Scope, names: readonly string[]): Promise<OverrideRow[]> =>
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
    ${overrideAt('rule', scope, sql`r.id`)}
    where r.name = any (${names}::text[])`);

export interface ContextRow extends Hierarchy {
  /** Overrides of the rule that hold for the connection, by scope. */
  overrides: Reaching<Values>;
}

/** The connection with its cluster and its group, and what is set for the rule there. */
export const findContext = (
  db: Db,
  { connection_id, rule_id }: { connection_id: number; rule_id: number },
): Promise<ContextRow | undefined> =>
  db.maybe<ContextRow>(sql`/* alert_overrides.context */
    with place as ${hierarchyOf(connection_id)}, reaching as ${reachingOverrides('rule')}
    select place.*, coalesce(r.overrides, '{}') as overrides
    from place
    left join reaching r on r.rule_id = ${rule_id}`);
