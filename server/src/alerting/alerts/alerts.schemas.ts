// The shapes of alerts and of what happened to them.
import * as s from '../../kernel/schema.ts';

export const ALERT_TYPES = ['threshold', 'anomaly', 'connection'] as const;
export const STATUSES = ['active', 'acknowledged', 'cleared'] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const ALERT_OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const ALERT_SOURCES = ['built_in', 'global', 'group', 'cluster', 'server'] as const;

const alert = {
  id: s.longId(),
  alert_type: s.oneOf(ALERT_TYPES),
  rule_id: s.optional(s.longId()),
  connection_id: s.integer(),
  database_name: s.optional(s.text()),
  object_name: s.optional(s.text()),
  probe_name: s.optional(s.text()),
  metric_name: s.optional(s.text()),
  metric_value: s.optional(s.number()),
  metric_unit: s.optional(s.text()),
  threshold_value: s.optional(s.number()),
  operator: s.optional(s.oneOf(ALERT_OPERATORS)),
  severity: s.oneOf(SEVERITIES),
  title: s.text(),
  description: s.text(),
  correlation_id: s.optional(s.text()),
  status: s.oneOf(STATUSES),
  triggered_at: s.timestamp(),
  cleared_at: s.optional(s.timestamp()),
  last_updated: s.optional(s.timestamp()),
  anomaly_score: s.optional(s.number()),
  anomaly_details: s.optional(s.text()),
  server_name: s.optional(s.text()),
  acknowledged_at: s.optional(s.timestamp()),
  acknowledged_by: s.optional(s.text()),
  ack_message: s.optional(s.text()),
  false_positive: s.optional(s.boolean()),
  ai_analysis: s.optional(s.text()),
  ai_analysis_metric_value: s.optional(s.number()),
  threshold_source: s.optional(
    s.ours(s.oneOf(ALERT_SOURCES, { description: 'Where operator, threshold and severity are set.' })),
  ),
  sampled_at: s.optional(s.ours(s.timestamp({ description: 'Of the newest sample that was judged.' }))),
  may_acknowledge: s.optional(
    s.ours(s.boolean({ description: 'Whether the caller may acknowledge it and take that back.' })),
  ),
  is_own: s.optional(
    s.ours(
      s.boolean({
        description: 'About the own work of Matriarch, not about the server on which it is recorded.',
      }),
    ),
  ),
  cause_id: s.optional(
    s.ours(s.longId({ description: 'The alert that this one follows from, and that is sent instead.' })),
  ),
};

export const Alert = s.component('Alert', alert);

export const AlertList = s.component('AlertList', {
  alerts: s.list(Alert),
  total: s.integer({ format: 'int64', minimum: 0 }),
});

const count = s.integer({ format: 'int64', minimum: 0 });
export const AlertCounts = s.component('AlertCounts', {
  total: count,
  by_server: s.record(count),
  by_cluster: s.record(count),
});

export const AcknowledgeRequest = s.component('AcknowledgeRequest', {
  alert_id: s.longId(),
  message: s.optional(s.text({ maxLength: 4000 })),
  false_positive: s.optional(s.boolean()),
});

export const SaveAnalysisRequest = s.component('SaveAnalysisRequest', {
  alert_id: s.longId(),
  analysis: s.text({ minLength: 1, maxLength: 65_536 }),
  metric_value: s.optional(s.number()),
});

const ALERT_EVENTS = ['fired', 'severity_changed', 'acknowledged', 'unacknowledged', 'cleared'] as const;

export const AlertHistory = s.component('AlertHistory', {
  alert: Alert,
  events: s.list(
    s.component('AlertEvent', {
      event_type: s.oneOf(ALERT_EVENTS),
      occurred_at: s.timestamp(),
      severity: s.oneOf(SEVERITIES),
      actor: s.nullable(s.text({ description: 'The user; null: the alerter.' })),
      message: s.nullable(s.text()),
      metric_value: s.nullable(s.number()),
    }),
  ),
});
