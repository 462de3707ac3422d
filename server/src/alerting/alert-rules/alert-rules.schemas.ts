// The shapes of alert rules and of what is set instead for a server, a cluster or a group.

import { COVERAGE_STATUSES } from '../../estate/estate/coverage.schemas.ts';
import * as s from '../../kernel/schema.ts';

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** From where the values of a rule come: the later ones win whole. */
export const SOURCES = ['built_in', 'global', 'group', 'cluster', 'server'] as const;
export type Source = (typeof SOURCES)[number];

const operator = s.oneOf(OPERATORS);
const severity = s.oneOf(SEVERITIES);
const threshold = s.number({ description: 'In the unit of the metric.' });

/** What a person runs to see for themselves. */
const Evidence = s.component('RuleEvidence', {
  kind: s.oneOf(['sql', 'shell'] as const),
  text: s.text({ description: 'A read-only statement for the server, or a command for its host.' }),
});

const described = {
  name: s.text(),
  description: s.text({ description: 'What it means that the rule fired.' }),
  category: s.text(),
  metric_name: s.text(),
  metric_unit: s.nullable(s.text()),
};

const defaults = {
  default_operator: operator,
  default_threshold: threshold,
  default_severity: severity,
  default_enabled: s.boolean(),
};

export const AlertRule = s.component('AlertRule', {
  id: s.longId(),
  ...described,
  ...defaults,
  required_extension: s.nullable(s.text()),
  is_built_in: s.boolean(),
  created_at: s.timestamp(),
  title: s.ours(s.text({ description: 'What an alert of the rule is called.' })),
  remedy: s.ours(s.text({ description: 'What to do about it.' })),
  evidence: s.ours(s.nullable(Evidence)),
  lasts_seconds: s.ours(
    s.integer({ minimum: 0, description: 'How long the condition has to last before the alert fires.' }),
  ),
  built_in: s.ours(
    s.component('BuiltInRuleValues', { operator, threshold, severity, is_enabled: s.boolean() }),
  ),
  is_specified: s.ours(s.boolean({ description: 'False for rules beyond the specification of this API.' })),
});

export const AlertRuleUpdate = s.component('AlertRuleUpdate', {
  default_operator: s.optional(operator),
  default_threshold: s.optional(threshold),
  default_severity: s.optional(severity),
  default_enabled: s.optional(s.boolean()),
});

export const AlertOverride = s.component('AlertOverride', {
  rule_id: s.longId(),
  ...described,
  ...defaults,
  has_override: s.boolean(),
  override_operator: s.nullable(s.text()),
  override_threshold: s.nullable(s.number()),
  override_severity: s.nullable(s.text()),
  override_enabled: s.nullable(s.boolean()),
});

const detail = s.object({ operator, threshold, severity, enabled: s.boolean() });

export const AlertOverrideUpdate = s.component('AlertOverrideUpdate', {
  operator,
  threshold,
  severity,
  enabled: s.boolean(),
});

const WakeRemedy = s.component('WakeRemedy', {
  statement: s.text({ description: 'The SQL, command or advice.' }),
  database_name: s.nullable(
    s.text({ description: 'Where to run it; null: it is enough anywhere on the server.' }),
  ),
  run_on: s.oneOf(['server', 'primary']),
  needs_restart: s.boolean({ description: 'This server has to be restarted after it.' }),
});

/** Why a rule judges nothing on a connection. */
export const IdleRule = s.component('IdleRule', {
  rule_id: s.longId(),
  name: s.text(),
  title: s.text(),
  probe: s.text({ description: 'The probe that is not collected.' }),
  status: s.oneOf(COVERAGE_STATUSES, { description: 'As the coverage of the connection says it.' }),
  reason: s.text({ description: 'Why nothing is collected that the rule could judge.' }),
  remedies: s.list(WakeRemedy, { description: 'What fixes it; none where nothing does.' }),
});

export const IdleRules = s.component('IdleRules', {
  connection_id: s.id(),
  rules: s.list(IdleRule),
  partly_blind: s.list(IdleRule, {
    description: 'Rules that judge only a part: the role of the connection may not read the other objects.',
  }),
});

export const OverrideContext = s.component('OverrideContext', {
  hierarchy: s.object({
    connection_id: s.integer(),
    cluster_id: s.nullable(s.integer()),
    group_id: s.nullable(s.integer()),
    server_name: s.text(),
    cluster_name: s.nullable(s.text()),
    group_name: s.nullable(s.text()),
  }),
  rule: AlertRule,
  overrides: s.object({
    server: s.nullable(detail),
    cluster: s.nullable(detail),
    group: s.nullable(detail),
  }),
  // Null: what the rule reads is collected there.
  idle: s.ours(s.nullable(IdleRule)),
  // Null: it is idle, or nothing is withheld from it.
  partly_blind: s.ours(s.nullable(IdleRule)),
  baseline: s.ours(
    s.nullable(
      s.component('RuleBaseline', {
        state: s.oneOf(['learning', 'known'] as const, {
          description: 'learning: too little is known yet for alerts of unusual values.',
        }),
        until: s.nullable(
          s.timestamp({
            description: 'When enough will be known; null: nothing has been read yet, or enough is known.',
          }),
        ),
      }),
    ),
  ),
});
