// The overview: what is going on with all servers that the caller sees, or some of them, in a few sentences and figures. Guards:
// made of nothing but those servers; it is answered without a model too.
import { ok, operation } from '../../kernel/contract.ts';
import {
  anyOf,
  boolean,
  component,
  id,
  idList,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';

const tag = 'overview';

const EstateBlackout = component('EstateBlackout', {
  scope: text(),
  reason: text(),
  start_time: timestamp(),
  end_time: timestamp(),
});

export const EstateSnapshot = component('EstateSnapshot', {
  timestamp: timestamp(),
  server_total: integer(),
  server_online: integer(),
  server_offline: integer(),
  server_warning: integer(),
  servers: list(
    object({
      id: integer(),
      name: text(),
      status: text(),
      role: text(),
      active_alert_count: integer(),
    }),
  ),
  alert_total: integer(),
  alert_critical: integer(),
  alert_warning: integer(),
  alert_info: integer(),
  top_alerts: list(object({ title: text(), server_name: text(), severity: text() })),
  active_blackouts: list(EstateBlackout),
  upcoming_blackouts: list(EstateBlackout),
  recent_events: list(
    object({
      event_type: text(),
      server_name: text(),
      occurred_at: timestamp(),
      severity: text(),
      title: text(),
      summary: text(),
    }),
  ),
});

const Overview = component('Overview', {
  summary: text(),
  generated_at: timestamp(),
  stale_at: timestamp(),
  snapshot: nullable(EstateSnapshot),
  restart_detected: optional(boolean({ description: 'A server restarted within the last 24 hours.' })),
});

const OverviewPending = component('OverviewPending', {
  status: oneOf(['generating', 'empty']),
  summary: nullable(text()),
  snapshot: optional(nullable(EstateSnapshot)),
});

const OverviewResponse = anyOf([Overview, OverviewPending], { title: 'OverviewResponse' });

const scope = {
  connection_ids: optional(idList({ description: 'Ids with commas between.' })),
  scope_type: optional(oneOf(['server', 'cluster', 'group'])),
  scope_id: optional(id()),
  scope_name: optional(text()),
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
  method: 'GET',
  path: '/api/v1/overview',
  tag,
  summary: 'AI-generated estate overview',
  access: { visible: 'connections' },
  faults: [403, 404],
  query: object({ refresh: optional(boolean({ default: false })), ...scope }),
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
  method: 'GET',
  path: '/api/v1/overview/stream',
  tag,
  summary: 'Stream overview generation via server-sent events (SSE)',
  access: { visible: 'connections' },
  faults: [403, 404],
  query: object(scope),
  success: { status: 200, schema: OverviewResponse, stream: { keepalive_seconds: 30 }, example },
  notes: [
    'Sends the current state at once, then every change. Frame: id: <generated_at>, event: overview, data: <the JSON of GET /overview on one line>; comment :keepalive every 30 s.',
    'The set of visible connections is computed again for every event; the stream ends when the session or token ends.',
    scoped,
  ],
});
