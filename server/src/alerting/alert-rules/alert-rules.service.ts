// Alert rules and what they are set to for the whole estate. Guards: what a rule judges and means is read from its declaration alone.

import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { rules } from '../rules/catalog.gen.ts';
import type { Rule } from '../rules/types.ts';
import { findRule, listRules, type RuleRow, syncRules, updateRule } from './alert-rules.queries.ts';
import type { AlertRule, AlertRuleUpdate } from './alert-rules.schemas.ts';
import { demandKnown, ruleNames } from './known-rules.service.ts';

type Shown = Static<typeof AlertRule>;

/** Lines without what they are indented by in the file of the rule. */
const unindented = (text: string) =>
  text.replaceAll(/\n +/g, (indent) => (indent.length > 5 ? '\n  ' : '\n'));

function evidenceOf({ evidence }: Rule): Shown['evidence'] {
  if (!evidence) return null;
  if ('shell' in evidence) return { kind: 'shell', text: evidence.shell };
  return { kind: 'sql', text: unindented(evidence.sql) };
}

/** What is said of a rule wherever it is listed. */
export function described(name: string) {
  const { rule, metric } = demandKnown(name);
  return {
    name,
    description: rule.meaning,
    category: rule.category,
    metric_name: rule.metric,
    metric_unit: metric.unit === '' ? null : metric.unit,
  };
}

/** By category, then by name. */
export function inOrder<T extends { category: string; name: string }>(shown: readonly T[]): T[] {
  const key = ({ category, name }: T) => `${category}\u0000${name}`;
  return shown.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

export function shownRule(row: RuleRow): Shown {
  const { rule } = demandKnown(row.name);
  return {
    id: row.id,
    ...described(row.name),
    default_operator: row.operator,
    default_threshold: row.threshold,
    default_severity: row.severity,
    default_enabled: row.is_enabled,
    required_extension: rule.requires ?? null,
    is_built_in: true,
    created_at: row.created_at,
    title: rule.title,
    remedy: rule.remedy,
    evidence: evidenceOf(rule),
    lasts_seconds: rule.lastsSeconds ?? 0,
    built_in: {
      operator: rule.operator,
      threshold: rule.threshold,
      severity: rule.severity,
      is_enabled: rule.isOff !== true,
    },
    is_specified: rule.isOurs !== true,
  };
}

export async function listAlertRules(ctx: Ctx): Promise<Shown[]> {
  return inOrder((await listRules(ctx.db, ruleNames)).map(shownRule));
}

/** 404 for an id that is no rule's. */
export async function demandRule(ctx: Ctx, id: number): Promise<RuleRow> {
  const row = await findRule(ctx.db, id, ruleNames);
  if (!row) throw new Fault('not_found', 'There is no such alert rule.');
  return row;
}

export async function getAlertRule(ctx: Ctx, id: number): Promise<Shown> {
  return shownRule(await demandRule(ctx, id));
}

/** Absent members stay. The caller's permission has been checked. */
export function updateAlertRule(
  ctx: Ctx,
  { id, change }: { id: number; change: Static<typeof AlertRuleUpdate> },
): Promise<Shown> {
  const values = Object.values(change).filter((value) => value !== undefined);
  if (values.length === 0)
    throw new Fault(
      'bad_request',
      'Give at least one of default_operator, default_threshold, default_severity and default_enabled.',
    );
  const { default_operator: operator, default_threshold: threshold } = change;
  const { default_severity: severity, default_enabled: is_enabled } = change;
  return inTransaction(ctx, async (tx) => {
    const row = await updateRule(tx.db, {
      id,
      names: ruleNames,
      ...(operator !== undefined && { operator }),
      ...(threshold !== undefined && { threshold }),
      ...(severity !== undefined && { severity }),
      ...(is_enabled !== undefined && { is_enabled }),
    });
    if (!row) throw new Fault('not_found', 'There is no such alert rule.');
    const target = { kind: 'alert_rule', id, name: row.name };
    const details = { operator: row.operator, threshold: row.threshold, severity: row.severity };
    await recordAudit(tx, {
      action: 'settings.change',
      target,
      details: { ...details, is_enabled: row.is_enabled },
    });
    return shownRule(row);
  });
}

/** At each start: a row for each rule of the catalog, with its values as built. */
export function syncAlertRules(db: Db): Promise<void> {
  return syncRules(db, rules);
}
