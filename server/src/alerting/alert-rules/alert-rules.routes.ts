// Alert rules and their overrides; access to a connection that is named has been checked before.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as overrides from './alert-overrides.contract.ts';
import {
  deleteAlertOverride,
  getAlertOverrideContext,
  listAlertOverrides,
  setAlertOverride,
} from './alert-overrides.service.ts';
import * as rules from './alert-rules.contract.ts';
import { getAlertRule, listAlertRules, updateAlertRule } from './alert-rules.service.ts';
import * as backtests from './backtest.contract.ts';
import { backtestAlertRule } from './backtest.service.ts';
import * as idle from './idle-rules.contract.ts';
import { listIdleAlertRules } from './idle-rules.service.ts';

const OK = { status: 'ok' };

export function alertRulesRoutes(): Route<Ctx>[] {
  return [
    route(rules.listAlertRules, (ctx) => listAlertRules(ctx)),
    route(rules.getAlertRule, (ctx, { params }) => getAlertRule(ctx, params.id)),
    route(rules.updateAlertRule, (ctx, { params, body }) =>
      updateAlertRule(ctx, { id: params.id, change: body }),
    ),
    route(idle.listIdleAlertRules, (ctx, { params }) => listIdleAlertRules(ctx, params.id)),
    route(backtests.backtestAlertRule, (ctx, { params, body }) => backtestAlertRule(ctx, params.id, body)),
    route(overrides.listAlertOverrides, (ctx, { params }) =>
      listAlertOverrides(ctx, { scope: params.scope, scope_id: params.scopeId }),
    ),
    route(overrides.setAlertOverride, async (ctx, { params, body }) => {
      const { scope, scopeId, ruleId } = params;
      await setAlertOverride(ctx, { scope, scope_id: scopeId, rule_id: ruleId }, body);
      return OK;
    }),
    route(overrides.deleteAlertOverride, async (ctx, { params }) => {
      const { scope, scopeId, ruleId } = params;
      await deleteAlertOverride(ctx, { scope, scope_id: scopeId, rule_id: ruleId });
      return OK;
    }),
    route(overrides.getAlertOverrideContext, (ctx, { params }) =>
      getAlertOverrideContext(ctx, { connection_id: params.connectionId, rule_id: params.ruleId }),
    ),
  ];
}
