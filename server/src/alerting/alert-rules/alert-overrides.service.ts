// Overrides of alert rules for a server, a cluster or a group. The most specific one wins whole, and is read when samples
// are judged.

import { demandScope, demandWholeScope, type Scope } from '../../estate/estate.ts';
import { baselineState } from '../../history/history.ts';
import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import {
  dropOverride,
  findContext,
  listOverrides,
  type OverrideKey,
  type OverrideRow,
  putOverride,
} from './alert-overrides.queries.ts';
import type { AlertOverride, AlertOverrideUpdate, OverrideContext } from './alert-rules.schemas.ts';
import { demandKnown, demandRule, described, inOrder, ruleNames, shownRule } from './alert-rules.service.ts';
import { idleOf, partlyBlindOf, readKnown } from './idle-rules.service.ts';

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

type Details = Record<string, number | string | boolean>;

async function note(
  tx: Ctx,
  key: OverrideKey,
  { name, ...values }: { name: string } & Details,
): Promise<void> {
  const { scope, scope_id, rule_id: id } = key;
  const details = { scope, scope_id, ...values };
  await recordAudit(tx, { action: 'settings.change', target: { kind: 'alert_rule', id, name }, details });
}

/** The caller's permission has been checked. */
export async function setAlertOverride(
  ctx: Ctx,
  key: OverrideKey,
  { operator, threshold, severity, enabled }: Static<typeof AlertOverrideUpdate>,
): Promise<void> {
  await demandWholeScope(ctx, key);
  const { name } = await demandRule(ctx, key.rule_id);
  const values = { operator, threshold, severity, is_enabled: enabled };
  await inTransaction(ctx, async (tx) => {
    if (!(await putOverride(tx.db, key, values)))
      throw new Fault('not_found', `There is no such ${key.scope}.`);
    await note(tx, key, { name, ...values });
  });
}

/** The caller's permission has been checked. */
export async function deleteAlertOverride(ctx: Ctx, key: OverrideKey): Promise<void> {
  await demandWholeScope(ctx, key);
  const { name } = await demandRule(ctx, key.rule_id);
  await inTransaction(ctx, async (tx) => {
    if ((await dropOverride(tx.db, key)) > 0) await note(tx, key, { name, is_deleted: true });
  });
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
  const { server = null, cluster = null, group = null } = overrides;
  const known = await readKnown(ctx, connection_id);
  const idle = idleOf(known, rule);
  const partly_blind = partlyBlindOf(known, rule);
  const baseline = await baselineState(ctx, { connection_id, metric: demandKnown(rule.name).rule.metric });
  return {
    hierarchy,
    rule: shownRule(rule),
    overrides: { server, cluster, group },
    idle,
    partly_blind,
    baseline,
  };
}
