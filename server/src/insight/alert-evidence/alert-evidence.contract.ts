// The evidence of an alert: what was measured around the moment when it fired, what the server did then, and what had changed.

import { ALERT_OPERATORS, ALERT_SOURCES } from '../../alerting/alerts/alerts.schemas.ts';
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { PARTS } from '../moment/moment.schemas.ts';
import { ChangesResult } from '../timeline/changes.contract.ts';

export const AlertEvidence = s.component('AlertEvidence', {
  alert_id: s.longId(),
  at: s.timestamp({ description: 'When it fired.' }),
  threshold: s.object({
    operator: s.nullable(s.oneOf(ALERT_OPERATORS)),
    value: s.nullable(s.number()),
    source: s.nullable(s.oneOf(ALERT_SOURCES, { description: 'Where it was set when it was last judged.' })),
  }),
  values: s.object({
    metric_name: s.nullable(s.text()),
    metric_unit: s.nullable(s.text()),
    reason: s.nullable(s.text({ description: 'Why there are none.' })),
    start_time: s.nullable(s.timestamp()),
    step_seconds: s.nullable(s.number()),
    values: s.nullable(
      s.list(s.nullable(s.number()), {
        description: 'The worst of each step; null where nothing was measured. At most 300.',
      }),
    ),
  }),
  sessions: PARTS.sessions,
  locks: PARTS.locks,
  waits: PARTS.waits,
  changes: ChangesResult,
});

const at = '2026-11-20T10:00:00.000Z';
const nothing = { as_of: null, reason: 'Sessions of the server were not sampled at that time.' };

export const getAlertEvidence = operation({
  id: 'getAlertEvidence',
  route: 'GET /api/v1/alerts/{id}/evidence',
  tag: 'alerts',
  summary: 'What was known when an alert fired',
  access: { object: 'alert', need: 'read' },
  extra: true,
  params: s.object({ id: s.longId() }),
  paramsExample: { id: 41 },
  faults: [404],
  success: ok(AlertEvidence, {
    alert_id: 41,
    at,
    threshold: { operator: '>', value: 80, source: 'built_in' },
    values: {
      metric_name: 'connection_utilization_percent',
      metric_unit: 'percent',
      reason: null,
      start_time: '2026-11-20T09:30:00.000Z',
      step_seconds: 1800,
      values: [71, 92],
    },
    sessions: { ...nothing, total_count: null, rows: null },
    locks: { ...nothing, waiting_count: null, root_count: null, nodes: null },
    waits: {
      ...nothing,
      active_count: null,
      idle_in_transaction_count: null,
      classes: null,
      combinations: null,
    },
    changes: {
      start_time: '2026-11-20T09:00:00.000Z',
      end_time: at,
      server_count: 1,
      kinds: [{ event_type: 'restart', total_count: 0, events: [] }],
      slower_statements: {
        total_count: 0,
        previous_start_time: '2026-11-20T08:00:00.000Z',
        statements: [],
      },
    },
  }),
  notes: [
    'From what is stored: values of half an hour before and after; at most 20 sessions, 50 sessions in locks and 20 combinations of waits, of the newest reading until the alert fired; at most 10 changes of each kind in the hour before.',
    'A part of which nothing is known is null with its reason, also where it is not kept any more.',
  ],
});
