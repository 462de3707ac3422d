// The shapes of incidents: open alerts that belong together.
import { boolean, component, integer, list, nullable, oneOf, text, timestamp } from '../../kernel/schema.ts';
import { Alert, SEVERITIES } from './alerts.schemas.ts';

export const MOST_ALERTS = 50;

const count = integer({ minimum: 0 });

export const AlertIncident = component('AlertIncident', {
  incident_key: text({ description: 'The same for as long as any alert of it is open.' }),
  title: text({ description: 'Where, what, and after the arrow what follows from it.' }),
  place: text({ description: 'The server, or the cluster where several servers have an alert of it.' }),
  what: text({ description: 'The title without the place.' }),
  detail: nullable(
    text({
      description: 'Who or what causes it, such as the session that blocks others; null: not known.',
    }),
  ),
  severity: oneOf(SEVERITIES, { description: 'Of its gravest alert.' }),
  status: oneOf(['active', 'acknowledged'], { description: 'active while any alert of it is.' }),
  triggered_at: timestamp({ description: 'Of its first alert.' }),
  cluster_id: nullable(integer({ description: 'The cluster, where several of its servers have one.' })),
  server_count: count,
  alert_count: count,
  active_count: count,
  acknowledged_by: list(text(), { maxItems: 5 }),
  may_acknowledge: boolean({ description: 'Whether the caller may acknowledge any active alert of it.' }),
  alerts: list(Alert, {
    maxItems: MOST_ALERTS,
    description: 'The cause first, then what follows from it, the gravest first.',
  }),
});

export const AlertIncidentList = component('AlertIncidentList', {
  incidents: list(AlertIncident),
  total: count,
  alert_count: integer({ minimum: 0, description: 'Alerts of all incidents that match.' }),
  active_count: count,
});
