// The shapes of alert rules and of what is set instead for a server, a cluster or a group.

import { COVERAGE_STATUSES } from '../../estate/estate/coverage.schemas.ts';
import {
  boolean,
  component,
  id,
  integer,
  list,
  longId,
  nullable,
  number,
  object,
  oneOf,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** From where the values of a rule come: the later ones win whole. */
export const SOURCES = ['built_in', 'global', 'group', 'cluster', 'server'] as const;
export type Source = (typeof SOURCES)[number];

const operator = oneOf(OPERATORS);
const severity = oneOf(SEVERITIES);
const threshold = number({ description: 'In the unit of the metric.' });

/** What a person runs to see for themselves. */
const Evidence = component('RuleEvidence', {
  kind: oneOf(['sql', 'shell'] as const),
  text: text({ description: 'A read-only statement for the server, or a command for its host.' }),
});

const described = {
  name: text(),
  description: text({ description: 'What it means that the rule fired.' }),
  category: text(),
  metric_name: text(),
  metric_unit: nullable(text()),
};

const defaults = {
  default_operator: operator,
  default_threshold: threshold,
  default_severity: severity,
  default_enabled: boolean(),
};

export const AlertRule = component('AlertRule', {
  id: longId(),
  ...described,
  ...defaults,
  required_extension: nullable(text()),
  is_built_in: boolean(),
  created_at: timestamp(),
  title: ours(text({ description: 'What an alert of the rule is called.' })),
  remedy: ours(text({ description: 'What to do about it.' })),
  evidence: ours(nullable(Evidence)),
  lasts_seconds: ours(
    integer({ minimum: 0, description: 'How long the condition has to last before the alert fires.' }),
  ),
  built_in: ours(component('BuiltInRuleValues', { operator, threshold, severity, is_enabled: boolean() })),
  is_specified: ours(boolean({ description: 'False for rules beyond the specification of this API.' })),
});

export const AlertRuleUpdate = component('AlertRuleUpdate', {
  default_operator: optional(operator),
  default_threshold: optional(threshold),
  default_severity: optional(severity),
  default_enabled: optional(boolean()),
});

export const AlertOverride = component('AlertOverride', {
  rule_id: longId(),
  ...described,
  ...defaults,
  has_override: boolean(),
  override_operator: nullable(text()),
  override_threshold: nullable(number()),
  override_severity: nullable(text()),
  override_enabled: nullable(boolean()),
});

const detail = object({ operator, threshold, severity, enabled: boolean() });

export const AlertOverrideUpdate = component('AlertOverrideUpdate', {
  operator,
  threshold,
  severity,
  enabled: boolean(),
});

const WakeRemedy = component('WakeRemedy', {
  statement: text({ description: 'The SQL, command or advice.' }),
  database_name: nullable(
    text({ description: 'Where to run it; null: it is enough anywhere on the server.' }),
  ),
  run_on: oneOf(['server', 'primary']),
  needs_restart: boolean({ description: 'This server has to be restarted after it.' }),
});

/** Why a rule judges nothing on a connection. */
export const IdleRule = component('IdleRule', {
  rule_id: longId(),
  name: text(),
  title: text(),
  probe: text({ description: 'The probe that is not collected.' }),
  status: oneOf(COVERAGE_STATUSES, { description: 'As the coverage of the connection says it.' }),
  reason: text({ description: 'Why nothing is collected that the rule could judge.' }),
  remedies: list(WakeRemedy, { description: 'What fixes it; none where nothing does.' }),
});

export const IdleRules = component('IdleRules', {
  connection_id: id(),
  rules: list(IdleRule),
  partly_blind: list(IdleRule, {
    description: 'Rules that judge only a part: the role of the connection may not read the other objects.',
  }),
});

export const OverrideContext = component('OverrideContext', {
  hierarchy: object({
    connection_id: integer(),
    cluster_id: nullable(integer()),
    group_id: nullable(integer()),
    server_name: text(),
    cluster_name: nullable(text()),
    group_name: nullable(text()),
  }),
  rule: AlertRule,
  overrides: object({
    server: nullable(detail),
    cluster: nullable(detail),
    group: nullable(detail),
  }),
  // Null: what the rule reads is collected there.
  idle: ours(nullable(IdleRule)),
  // Null: it is idle, or nothing is withheld from it.
  partly_blind: ours(nullable(IdleRule)),
  baseline: ours(
    nullable(
      component('RuleBaseline', {
        state: oneOf(['learning', 'known'] as const, {
          description: 'learning: too little is known yet for alerts of unusual values.',
        }),
        until: nullable(
          timestamp({
            description: 'When enough will be known; null: nothing has been read yet, or enough is known.',
          }),
        ),
      }),
    ),
  ),
});
