// Open alerts as incidents. Guards: they are put together over all open alerts, before the list is cut, by what also decides what is
// sent: the cause of an alert, and the cluster by which messages are grouped.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { ALERT_TYPES, SEVERITIES } from './alerts.schemas.ts';
import { AlertIncidentList } from './incidents.schemas.ts';

export const listAlertIncidents = operation({
  id: 'listAlertIncidents',
  route: 'GET /api/v1/alerts/incidents',
  tag: 'alerts',
  summary: 'Open alerts as incidents, the worst first',
  access: { visible: 'alerts' },
  extra: true,
  hasETag: true,
  query: s.object({
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList()),
    status: s.optional(s.oneOf(['active', 'acknowledged'])),
    severity: s.optional(s.oneOf(SEVERITIES)),
    alert_type: s.optional(s.oneOf(ALERT_TYPES)),
    limit: s.optional(s.integer({ minimum: 1, maximum: 200, default: 100 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })),
  }),
  faults: [400],
  success: ok(AlertIncidentList, {
    incidents: [
      {
        incident_key: '9b2d1f0c7a3e5b6d8f4a1c2e3d5b7f90',
        title: 'orders / orders-primary: Session idle in transaction → High share of dead tuples (2 tables)',
        place: 'orders / orders-primary',
        what: 'Session idle in transaction → High share of dead tuples (2 tables)',
        detail: 'PID 30444 of "payroll-import", idle in transaction, blocks 3 sessions',
        severity: 'warning',
        status: 'active',
        triggered_at: '2026-11-20T10:00:00.000Z',
        cluster_id: null,
        server_count: 1,
        alert_count: 3,
        active_count: 3,
        acknowledged_by: [],
        may_acknowledge: true,
        alerts: [],
      },
    ],
    total: 1,
    alert_count: 3,
    active_count: 3,
  }),
  notes: [
    'An alert belongs to the incident of its cause. Causes of the same rule in one cluster, or on one server without a cluster, are one incident.',
    'An incident is listed whole where any alert of it that the caller can see matches all filters. total counts before limit and offset.',
  ],
});
