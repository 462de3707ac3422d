// Overrides of alert rules for a server, a cluster or a group. The most specific one wins whole, and is read when samples
// are judged.

import {
  deleteOverride,
  demandScope,
  demandWholeScope,
  type Scope,
  setOverride,
} from '../../estate/estate.ts';
import { baselineState } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { findContext, listOverrides, type OverrideRow } from './alert-overrides.queries.ts';
import type { Values } from './alert-rules.queries.ts';
import type { AlertOverride, AlertOverrideUpdate, OverrideContext } from './alert-rules.schemas.ts';
import { demandRule, described, inOrder, shownRule } from './alert-rules.service.ts';
import { idleOf, partlyBlindOf, readKnown } from './idle-rules.service.ts';
import { demandKnown, ruleNames } from './known-rules.service.ts';

function shown(row: OverrideRow): Static<typeof AlertOverride> {
  const { rule_id, name, override_operator, override_threshold, override_severity, override_enabled } = row;
  return {
    rule_id,
    ...described(name),
    default_operator: row.operator,
    default_threshold: row.threshold,
    default_severity: row.severity,
    default_enabled: row.is_enabled,
    has_override: override_operator !== null,
    override_operator,
    override_threshold,
    override_severity,
    override_enabled,
  };
}

/** One row for each rule. */
export async function listAlertOverrides(ctx: Ctx, scope: Scope): Promise<Static<typeof AlertOverride>[]> {
  await demandScope(ctx, scope);
  return inOrder((await listOverrides(ctx.db, scope, ruleNames)).map(shown));
}

interface RuleAt extends Scope {
  rule_id: number;
}

/** What the audit log says was changed. */
async function demandBoth(ctx: Ctx, at: RuleAt) {
  await demandWholeScope(ctx, at);
  return { kind: 'alert_rule', id: at.rule_id, name: (await demandRule(ctx, at.rule_id)).name };
}

/** The caller's permission has been checked. */
export async function setAlertOverride(
  ctx: Ctx,
  at: RuleAt,
  { operator, threshold, severity, enabled: is_enabled }: Static<typeof AlertOverrideUpdate>,
): Promise<void> {
  const target = await demandBoth(ctx, at);
  const values = { operator, threshold, severity, is_enabled };
  await setOverride(ctx, { kind: 'rule', ...at, subject: target.id }, { values, target, details: values });
}

/** The caller's permission has been checked. */
export async function deleteAlertOverride(ctx: Ctx, at: RuleAt): Promise<void> {
  const target = await demandBoth(ctx, at);
  await deleteOverride(ctx, { kind: 'rule', ...at, subject: target.id }, target);
}

function shownValues(values: Values | undefined) {
  if (!values) return null;
  const { is_enabled: enabled, ...rest } = values;
  return { ...rest, enabled };
}

/** Access to the connection and the caller's permission have been checked. */
export async function getAlertOverrideContext(
  ctx: Ctx,
  { connection_id, rule_id }: { connection_id: number; rule_id: number },
): Promise<Static<typeof OverrideContext>> {
  const rule = await demandRule(ctx, rule_id);
  const row = await findContext(ctx.db, { connection_id, rule_id });
  if (!row) throw new Fault('not_found', 'There is no such connection.');
  const { overrides, ...hierarchy } = row;
  const known = await readKnown(ctx, connection_id);
  const idle = idleOf(known, rule);
  const partly_blind = partlyBlindOf(known, rule);
  const baseline = await baselineState(ctx, { connection_id, metric: demandKnown(rule.name).rule.metric });
  return {
    hierarchy,
    rule: shownRule(rule),
    overrides: {
      server: shownValues(overrides.server),
      cluster: shownValues(overrides.cluster),
      group: shownValues(overrides.group),
    },
    idle,
    partly_blind,
    baseline,
  };
}
