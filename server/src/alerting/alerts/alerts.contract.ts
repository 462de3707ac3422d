// Alerts: what is wrong now, what was, and who has taken it on. Alerts are made and cleared by the alerter alone.
import { ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  AcknowledgeRequest,
  ALERT_TYPES,
  AlertCounts,
  AlertHistory,
  AlertList,
  SaveAnalysisRequest,
  SEVERITIES,
  STATUSES,
} from './alerts.schemas.ts';

const operation = operationsOf({ tag: 'alerts' });

const example = {
  id: 41,
  alert_type: 'threshold',
  rule_id: 7,
  connection_id: 1,
  probe_name: 'pg_stat_activity',
  metric_name: 'connection_utilization_percent',
  metric_value: 92,
  metric_unit: 'percent',
  threshold_value: 80,
  operator: '>',
  severity: 'warning',
  title: 'High connection usage',
  description:
    'Client sessions use 92 % of max_connections (threshold 80 %). When all connections are used, new clients are refused, at last even administrators.',
  status: 'active',
  triggered_at: '2026-11-20T10:00:00.000Z',
  last_updated: '2026-11-20T10:05:00.000Z',
  server_name: 'orders-primary',
  false_positive: false,
  threshold_source: 'built_in',
  sampled_at: '2026-11-20T10:05:00.000Z',
};

export const listAlerts = operation({
  id: 'listAlerts',
  route: 'GET /api/v1/alerts',
  summary: 'List alerts with filters',
  access: { visible: 'alerts' },
  query: s.object({
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList()),
    status: s.optional(s.oneOf(STATUSES)),
    exclude_cleared: s.optional(s.boolean({ default: false })),
    severity: s.optional(s.oneOf(SEVERITIES)),
    alert_type: s.optional(s.oneOf(ALERT_TYPES)),
    start_time: s.optional(s.timestamp()),
    end_time: s.optional(s.timestamp()),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 100 })),
    offset: s.optional(s.integer({ minimum: 0, default: 0 })),
  }),
  success: ok(AlertList, { alerts: [example], total: 1 }),
  faults: [400],
  notes: [
    'Newest triggered_at first, then id. total counts all matches before limit and offset.',
    'Filters combine with AND; connection_ids is a comma-separated list; start_time and end_time bound triggered_at, both inclusive.',
  ],
});

export const countAlerts = operation({
  id: 'countAlerts',
  route: 'GET /api/v1/alerts/counts',
  summary: 'Alert counts by server',
  access: { visible: 'alerts' },
  hasETag: true,
  success: ok(AlertCounts, { total: 3, by_server: { 1: 2, 4: 1 }, by_cluster: { 2: 3 } }),
  notes: [
    'Counts alerts in status active only. by_server is keyed by connection id, by_cluster by topology cluster id; zero counts are left out.',
  ],
});

export const acknowledgeAlert = operation({
  id: 'acknowledgeAlert',
  route: 'POST /api/v1/alerts/acknowledge',
  summary: 'Acknowledge an alert',
  access: { object: 'alert', need: 'read_write' },
  body: AcknowledgeRequest,
  bodyExample: { alert_id: 41, message: 'Looking into it.' },
  faults: [404, 409],
  success: ok(StatusResponse, { status: 'acknowledged' }),
  notes: [
    'status is "acknowledged". 409 when the alert is already acknowledged or cleared.',
    'false_positive:true also mutes anomaly alerts of the same metric, connection and database for 24 h.',
  ],
});

export const unacknowledgeAlert = operation({
  id: 'unacknowledgeAlert',
  route: 'DELETE /api/v1/alerts/acknowledge',
  summary: 'Remove an acknowledgement',
  access: { object: 'alert', need: 'read_write' },
  query: s.object({ alert_id: s.longId() }),
  paramsExample: { alert_id: 41 },
  faults: [404, 409],
  success: ok(StatusResponse, { status: 'active' }),
  notes: ['status is "active". 409 when the alert is not acknowledged. Lifts the mute of a false positive.'],
});

export const saveAlertAnalysis = operation({
  id: 'saveAlertAnalysis',
  route: 'PUT /api/v1/alerts/analysis',
  summary: 'Save an AI analysis for an alert',
  access: { object: 'alert', need: 'read' },
  body: SaveAnalysisRequest,
  bodyExample: { alert_id: 41, analysis: 'The pool of the shop was doubled yesterday.', metric_value: 92 },
  faults: [404],
  success: ok(StatusResponse, { status: 'saved' }),
  notes: [
    'status is "saved". Stored text up to 64 KiB with metric_value beside it; dropped when the alert\'s value changes.',
  ],
});

export const getAlert = operation({
  id: 'getAlert',
  route: 'GET /api/v1/alerts/{id}',
  summary: 'An alert with all that happened to it',
  access: { object: 'alert', need: 'read' },
  extra: true,
  params: s.object({ id: s.longId() }),
  paramsExample: { id: 41 },
  faults: [404],
  success: ok(AlertHistory, {
    alert: example,
    events: [
      {
        event_type: 'fired',
        occurred_at: '2026-11-20T10:00:00.000Z',
        severity: 'warning',
        actor: null,
        message: null,
        metric_value: 92,
      },
    ],
  }),
});
