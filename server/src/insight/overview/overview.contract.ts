// The overview: what is going on with all servers that the caller sees, or some of them, in a few sentences and figures. Guards:
// made of nothing but those servers; it is answered without a model too.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const tag = 'overview';

const EstateBlackout = s.component('EstateBlackout', {
  scope: s.text(),
  reason: s.text(),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
});

export const EstateSnapshot = s.component('EstateSnapshot', {
  timestamp: s.timestamp(),
  server_total: s.integer(),
  server_online: s.integer(),
  server_offline: s.integer(),
  server_warning: s.integer(),
  servers: s.list(
    s.object({
      id: s.integer(),
      name: s.text(),
      status: s.text(),
      role: s.text(),
      active_alert_count: s.integer(),
    }),
  ),
  alert_total: s.integer(),
  alert_critical: s.integer(),
  alert_warning: s.integer(),
  alert_info: s.integer(),
  top_alerts: s.list(s.object({ title: s.text(), server_name: s.text(), severity: s.text() })),
  active_blackouts: s.list(EstateBlackout),
  upcoming_blackouts: s.list(EstateBlackout),
  recent_events: s.list(
    s.object({
      event_type: s.text(),
      server_name: s.text(),
      occurred_at: s.timestamp(),
      severity: s.text(),
      title: s.text(),
      summary: s.text(),
    }),
  ),
});

const Overview = s.component('Overview', {
  summary: s.text(),
  generated_at: s.timestamp(),
  stale_at: s.timestamp(),
  snapshot: s.nullable(EstateSnapshot),
  restart_detected: s.optional(s.boolean({ description: 'A server restarted within the last 24 hours.' })),
});

const OverviewPending = s.component('OverviewPending', {
  status: s.oneOf(['generating', 'empty']),
  summary: s.nullable(s.text()),
  snapshot: s.optional(s.nullable(EstateSnapshot)),
});

const OverviewResponse = s.anyOf([Overview, OverviewPending], { title: 'OverviewResponse' });

const scope = {
  connection_ids: s.optional(s.idList({ description: 'Ids with commas between.' })),
  scope_type: s.optional(s.oneOf(['server', 'cluster', 'group'])),
  scope_id: s.optional(s.id()),
  scope_name: s.optional(s.text()),
};

const example = {
  summary:
    'All 2 servers are online. No alert is active. Written by rules from what is stored, without a model.',
  generated_at: '2026-11-22T12:00:00.000Z',
  stale_at: '2026-11-22T12:05:00.000Z',
  snapshot: {
    ...{ timestamp: '2026-11-22T12:00:00.000Z', server_total: 2, server_online: 2, server_offline: 0 },
    server_warning: 0,
    servers: [
      { id: 2, name: 'orders-primary', status: 'online', role: 'primary', active_alert_count: 0 },
      { id: 3, name: 'orders-standby', status: 'online', role: 'standby', active_alert_count: 0 },
    ],
    ...{ alert_total: 0, alert_critical: 0, alert_warning: 0, alert_info: 0, top_alerts: [] },
    ...{ active_blackouts: [], upcoming_blackouts: [], recent_events: [] },
  },
  restart_detected: false,
};
const scoped =
  'Scope by connection_ids, or by scope_type with scope_id (both or neither); scope_name is only a label. A hidden or unknown scope is 404.';

export const getOverview = operation({
  id: 'getOverview',
  route: 'GET /api/v1/overview',
  tag,
  summary: 'AI-generated estate overview',
  access: { visible: 'connections' },
  faults: [403, 404],
  query: s.object({ refresh: s.optional(s.boolean({ default: false })), ...scope }),
  success: ok(OverviewResponse, example),
  notes: [
    'Always 200: the summary, or status generating (one is being made) or empty (nothing to describe) with summary null and the snapshot when it can be computed.',
    'Built only from connections the caller can see. refresh=true makes a new one, at most one in 30 s for the same scope; before that the stored one is returned.',
    scoped,
    'Without a model the summary is written by rules from the same snapshot, and its last sentence says so.',
  ],
});

export const streamOverview = operation({
  id: 'streamOverview',
  route: 'GET /api/v1/overview/stream',
  tag,
  summary: 'Stream overview generation via server-sent events (SSE)',
  access: { visible: 'connections' },
  faults: [403, 404],
  query: s.object(scope),
  success: { status: 200, schema: OverviewResponse, stream: { keepalive_seconds: 30 }, example },
  notes: [
    'Sends the current state at once, then every change. Frame: id: <generated_at>, event: overview, data: <the JSON of GET /overview on one line>; comment :keepalive every 30 s.',
    'The set of visible connections is computed again for every event; the stream ends when the session or token ends.',
    scoped,
  ],
});
