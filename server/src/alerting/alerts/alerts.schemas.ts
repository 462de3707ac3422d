// The shapes of alerts and of what happened to them.
import {
  boolean,
  component,
  integer,
  list,
  longId,
  nullable,
  number,
  oneOf,
  optional,
  ours,
  record,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const ALERT_TYPES = ['threshold', 'anomaly', 'connection'] as const;
export const STATUSES = ['active', 'acknowledged', 'cleared'] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const ALERT_OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const ALERT_SOURCES = ['built_in', 'global', 'group', 'cluster', 'server'] as const;

const alert = {
  id: longId(),
  alert_type: oneOf(ALERT_TYPES),
  rule_id: optional(longId()),
  connection_id: integer(),
  database_name: optional(text()),
  object_name: optional(text()),
  probe_name: optional(text()),
  metric_name: optional(text()),
  metric_value: optional(number()),
  metric_unit: optional(text()),
  threshold_value: optional(number()),
  operator: optional(oneOf(ALERT_OPERATORS)),
  severity: oneOf(SEVERITIES),
  title: text(),
  description: text(),
  correlation_id: optional(text()),
  status: oneOf(STATUSES),
  triggered_at: timestamp(),
  cleared_at: optional(timestamp()),
  last_updated: optional(timestamp()),
  anomaly_score: optional(number()),
  anomaly_details: optional(text()),
  server_name: optional(text()),
  acknowledged_at: optional(timestamp()),
  acknowledged_by: optional(text()),
  ack_message: optional(text()),
  false_positive: optional(boolean()),
  ai_analysis: optional(text()),
  ai_analysis_metric_value: optional(number()),
  threshold_source: optional(
    ours(oneOf(ALERT_SOURCES, { description: 'Where operator, threshold and severity are set.' })),
  ),
  sampled_at: optional(ours(timestamp({ description: 'Of the newest sample that was judged.' }))),
  may_acknowledge: optional(
    ours(boolean({ description: 'Whether the caller may acknowledge it and take that back.' })),
  ),
  is_own: optional(
    ours(
      boolean({
        description: 'About the own work of Matriarch, not about the server on which it is recorded.',
      }),
    ),
  ),
  cause_id: optional(
    ours(longId({ description: 'The alert that this one follows from, and that is sent instead.' })),
  ),
};

export const Alert = component('Alert', alert);

export const AlertList = component('AlertList', {
  alerts: list(Alert),
  total: integer({ format: 'int64', minimum: 0 }),
});

const count = integer({ format: 'int64', minimum: 0 });
export const AlertCounts = component('AlertCounts', {
  total: count,
  by_server: record(count),
  by_cluster: record(count),
});

export const AcknowledgeRequest = component('AcknowledgeRequest', {
  alert_id: longId(),
  message: optional(text({ maxLength: 4000 })),
  false_positive: optional(boolean()),
});

export const SaveAnalysisRequest = component('SaveAnalysisRequest', {
  alert_id: longId(),
  analysis: text({ minLength: 1, maxLength: 65_536 }),
  metric_value: optional(number()),
});

const ALERT_EVENTS = ['fired', 'severity_changed', 'acknowledged', 'unacknowledged', 'cleared'] as const;

export const AlertHistory = component('AlertHistory', {
  alert: Alert,
  events: list(
    component('AlertEvent', {
      event_type: oneOf(ALERT_EVENTS),
      occurred_at: timestamp(),
      severity: oneOf(SEVERITIES),
      actor: nullable(text({ description: 'The user; null: the alerter.' })),
      message: nullable(text()),
      metric_value: nullable(number()),
    }),
  ),
});
