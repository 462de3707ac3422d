// What a rule is set to for a server, a cluster or a group instead of what holds for the whole estate.

import { ofOverride, ofScope } from '../../estate/scopes/scopes.schemas.ts';
import { ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { ruleExample } from './alert-rules.contract.ts';
import { AlertOverride, AlertOverrideUpdate, OverrideContext } from './alert-rules.schemas.ts';

const operation = operationsOf({ tag: 'alert-overrides' });
const scopeExample = { scope: 'server', scopeId: 1 };
const paramsExample = { ...scopeExample, ruleId: 7 };
const ofRule = ofOverride({ ruleId: s.id() });
const values = { operator: '>', threshold: 60, severity: 'critical', enabled: true };

const { id: rule_id, name, description, category, metric_name, metric_unit } = ruleExample;
const { default_operator, default_threshold, default_severity, default_enabled } = ruleExample;

export const listAlertOverrides = operation({
  id: 'listAlertOverrides',
  route: 'GET /api/v1/alert-overrides/{scope}/{scopeId}',
  summary: 'List overrides for a scope',
  access: { object: 'scope' },
  params: ofScope,
  paramsExample: scopeExample,
  success: ok(s.list(AlertOverride), [
    {
      ...{ rule_id, name, description, category, metric_name, metric_unit },
      ...{ default_operator, default_threshold, default_severity, default_enabled },
      has_override: true,
      override_operator: '>',
      override_threshold: 60,
      override_severity: 'critical',
      override_enabled: true,
    },
  ]),
  notes: ['One row for every rule; has_override tells which are set; override_* are null when unset.'],
});

export const setAlertOverride = operation({
  id: 'setAlertOverride',
  route: 'PUT /api/v1/alert-overrides/{scope}/{scopeId}/{ruleId}',
  summary: 'Create or update an override',
  access: { object: 'scope', permission: 'manage_alert_rules', whole: true },
  params: ofRule,
  paramsExample,
  body: AlertOverrideUpdate,
  bodyExample: values,
  success: ok(StatusResponse, { status: 'ok' }),
  notes: [
    'Sets all four values. status is "ok". 404 for an unknown rule or a scope that is unknown or not visible.',
  ],
});

export const deleteAlertOverride = operation({
  id: 'deleteAlertOverride',
  route: 'DELETE /api/v1/alert-overrides/{scope}/{scopeId}/{ruleId}',
  summary: 'Delete an override',
  access: { object: 'scope', permission: 'manage_alert_rules', whole: true },
  params: ofRule,
  paramsExample,
  success: ok(StatusResponse, { status: 'ok' }),
  notes: ['Idempotent for a known scope and rule. status is "ok".'],
});

export const getAlertOverrideContext = operation({
  id: 'getAlertOverrideContext',
  route: 'GET /api/v1/alert-overrides/context/{connectionId}/{ruleId}',
  summary: 'Override editing context',
  access: { connection: 'connectionId', need: 'read', permission: 'manage_alert_rules' },
  params: s.object({ connectionId: s.id(), ruleId: s.id() }),
  paramsExample: { connectionId: 1, ruleId: 7 },
  success: ok(OverrideContext, {
    hierarchy: {
      connection_id: 1,
      cluster_id: 3,
      group_id: 1,
      server_name: 'orders-primary',
      cluster_name: 'orders',
      group_name: 'Servers',
    },
    rule: ruleExample,
    overrides: { server: values, cluster: null, group: null },
    idle: {
      rule_id: 7,
      name: 'connection_utilization',
      title: 'High connection usage',
      probe: 'pg_stat_activity',
      status: 'missing_grant',
      reason: 'The role may not see the sessions of others.',
      remedies: [],
    },
    partly_blind: {
      rule_id: 7,
      name: 'connection_utilization',
      title: 'High connection usage',
      probe: 'pg_stat_activity',
      status: 'masked',
      reason: 'The role may see the sessions of some databases only.',
      remedies: [],
    },
    baseline: { state: 'learning', until: '2026-11-23T10:00:00.000Z' },
  }),
  notes: [
    'hierarchy ids and names are null where the connection has no cluster or group. overrides always has the keys server, cluster and group, each null or the override set there. baseline is null where unusual values of the metric raise no alerts.',
  ],
});
