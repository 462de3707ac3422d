// Alert rules: what is judged of each server, and at which threshold for the whole estate.
import { byId, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { AlertRule, AlertRuleUpdate } from './alert-rules.schemas.ts';

const operation = operationsOf({ tag: 'alert-rules' });

export const ruleExample = {
  id: 7,
  name: 'connection_utilization',
  description: 'When all connections are used, new clients are refused, at last even administrators.',
  category: 'connections',
  metric_name: 'connection_utilization_percent',
  metric_unit: 'percent',
  default_operator: '>',
  default_threshold: 80,
  default_severity: 'warning',
  default_enabled: true,
  required_extension: null,
  is_built_in: true,
  created_at: '2026-11-20T10:00:00.000Z',
  title: 'High connection usage',
  remedy: 'Find the application that holds the sessions. End idle sessions and use a connection pooler.',
  evidence: { kind: 'sql', text: 'select state, count(*) from pg_stat_activity group by state' },
  lasts_seconds: 0,
  built_in: { operator: '>', threshold: 80, severity: 'warning', is_enabled: true },
  is_specified: true,
};

export const listAlertRules = operation({
  id: 'listAlertRules',
  route: 'GET /api/v1/alert-rules',
  summary: 'List alert rules',
  access: 'signed-in',
  success: ok(s.list(AlertRule), [ruleExample]),
  notes: ['Bare array ordered by category then name.'],
});

export const getAlertRule = operation({
  id: 'getAlertRule',
  route: 'GET /api/v1/alert-rules/{id}',
  summary: 'Get an alert rule',
  access: 'signed-in',
  ...byId(7),
  faults: [404],
  success: ok(AlertRule, ruleExample),
});

export const updateAlertRule = operation({
  id: 'updateAlertRule',
  route: 'PUT /api/v1/alert-rules/{id}',
  summary: 'Update an alert rule',
  access: { permission: 'manage_alert_rules', estate: true },
  ...byId(7),
  body: AlertRuleUpdate,
  bodyExample: { default_threshold: 90 },
  faults: [404],
  success: ok(AlertRule, { ...ruleExample, default_threshold: 90 }),
  notes: [
    'Partial, at least one of the four default_* members. Open alerts are judged anew at the next evaluation.',
  ],
});
