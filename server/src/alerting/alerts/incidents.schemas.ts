// The shapes of incidents: open alerts that belong together.
import * as s from '../../kernel/schema.ts';
import { Alert, SEVERITIES } from './alerts.schemas.ts';

export const MOST_ALERTS = 50;

const count = s.integer({ minimum: 0 });

export const AlertIncident = s.component('AlertIncident', {
  incident_key: s.text({ description: 'The same for as long as any alert of it is open.' }),
  title: s.text({ description: 'Where, what, and after the arrow what follows from it.' }),
  place: s.text({ description: 'The server, or the cluster where several servers have an alert of it.' }),
  what: s.text({ description: 'The title without the place.' }),
  detail: s.nullable(
    s.text({
      description: 'Who or what causes it, such as the session that blocks others; null: not known.',
    }),
  ),
  severity: s.oneOf(SEVERITIES, { description: 'Of its gravest alert.' }),
  status: s.oneOf(['active', 'acknowledged'], { description: 'active while any alert of it is.' }),
  triggered_at: s.timestamp({ description: 'Of its first alert.' }),
  cluster_id: s.nullable(s.integer({ description: 'The cluster, where several of its servers have one.' })),
  server_count: count,
  alert_count: count,
  active_count: count,
  acknowledged_by: s.list(s.text(), { maxItems: 5 }),
  may_acknowledge: s.boolean({ description: 'Whether the caller may acknowledge any active alert of it.' }),
  alerts: s.list(Alert, {
    maxItems: MOST_ALERTS,
    description: 'The cause first, then what follows from it, the gravest first.',
  }),
});

export const AlertIncidentList = s.component('AlertIncidentList', {
  incidents: s.list(AlertIncident),
  total: count,
  alert_count: s.integer({ minimum: 0, description: 'Alerts of all incidents that match.' }),
  active_count: count,
});
