// The statements of alert rules. What is in force comes from one view, matriarch.effective_alert_rules; a value that is the
// built-in one is stored as null, so that it follows the program.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import type { Operator, Rule, Severity } from '../rules/types.ts';
import type { Source } from './alert-rules.schemas.ts';

export interface Values {
  operator: Operator;
  threshold: number;
  severity: Severity;
  is_enabled: boolean;
}

/** A row for each rule, with its values as built; what people set stays. */
export async function syncRules(db: Db, rules: readonly Rule[]): Promise<void> {
  await db.run(sql`/* alert_rules.sync */
    insert into matriarch.alert_rules as r (name, built_operator, built_threshold, built_severity, built_enabled)
    select *
    from unnest(
      ${rules.map(({ name }) => name)}::text[],
      ${rules.map(({ operator }) => operator)}::text[],
      ${rules.map(({ threshold }) => threshold)}::double precision[],
      ${rules.map(({ severity }) => severity)}::text[],
      ${rules.map(({ isOff }) => isOff !== true)}::boolean[]
    ) as b (name, operator, threshold, severity, is_enabled)
    order by b.name
    on conflict (name) do update
    set
      built_operator = excluded.built_operator,
      built_threshold = excluded.built_threshold,
      built_severity = excluded.built_severity,
      built_enabled = excluded.built_enabled
    where (r.built_operator, r.built_threshold, r.built_severity, r.built_enabled)
      is distinct from
      (excluded.built_operator, excluded.built_threshold, excluded.built_severity, excluded.built_enabled)`);
}

export interface RuleRow extends Values {
  id: number;
  name: string;
  created_at: string;
}

const estateValues = sql`
  coalesce(r.operator, r.built_operator) as operator,
  coalesce(r.threshold, r.built_threshold) as threshold,
  coalesce(r.severity, r.built_severity) as severity,
  coalesce(r.is_enabled, r.built_enabled) as is_enabled`;

const ruleRow = sql`r.id, r.name, ${estateValues}, r.created_at`;

export const listRules = (db: Db, names: readonly string[]): Promise<RuleRow[]> =>
  db.rows<RuleRow>(
    prepared(sql`/* alert_rules.list */
    select ${ruleRow}
    from matriarch.alert_rules r
    where r.name = any (${names}::text[])`),
  );

export const findRule = (db: Db, id: number, names: readonly string[]): Promise<RuleRow | undefined> =>
  db.maybe<RuleRow>(sql`/* alert_rules.find */
    select ${ruleRow}
    from matriarch.alert_rules r
    where r.id = ${id} and r.name = any (${names}::text[])`);

export interface RuleChange extends Partial<Values> {
  id: number;
  names: readonly string[];
}

/** Absent members stay. */
export function updateRule(db: Db, change: RuleChange): Promise<RuleRow | undefined> {
  const { id, names, operator = null, threshold = null, severity = null, is_enabled = null } = change;
  return db.maybe<RuleRow>(sql`/* alert_rules.update */
    update matriarch.alert_rules r
    set
      operator = nullif(coalesce(${operator}::text, r.operator, r.built_operator), r.built_operator),
      threshold = nullif(coalesce(${threshold}::double precision, r.threshold, r.built_threshold), r.built_threshold),
      severity = nullif(coalesce(${severity}::text, r.severity, r.built_severity), r.built_severity),
      is_enabled = nullif(coalesce(${is_enabled}::boolean, r.is_enabled, r.built_enabled), r.built_enabled),
      updated_at = now()
    where r.id = ${id} and r.name = any (${names}::text[])
    returning ${ruleRow}`);
}

export interface InForceRow extends Values {
  connection_id: number;
  rule_id: number;
  source: Source;
}

/** What differs from how the rules are built, for every connection that is not deleted. */
export const listInForce = (db: Db): Promise<InForceRow[]> =>
  db.rows<InForceRow>(
    prepared(sql`/* alert_rules.in_force */
    select e.connection_id, e.rule_id, e.operator, e.threshold, e.severity, e.is_enabled, e.source
    from matriarch.effective_alert_rules e
    where e.source <> 'built_in'
      -- Of most rules nothing is set anywhere: those are not asked for each connection.
      and e.rule_id = any (array(
        select o.rule_id from matriarch.alert_overrides o
        union
        select r.id
        from matriarch.alert_rules r
        where coalesce(r.operator, r.threshold::text, r.severity, r.is_enabled::text) is not null
      ))
    order by e.connection_id, e.rule_id`),
  );
