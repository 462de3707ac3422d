// Prometheus Alertmanager by its API v2, which groups, routes and silences by labels.
import type { AlertFacts, Message } from './alert-facts.ts';
import { fieldsOf, oneLine } from './support/fields.ts';
import { jsonHeaders } from './support/json.ts';
import { explanationOf, factLines, linkOf, summaryOf } from './support/message-text.ts';
import { DeliveryError, defineChannel } from './types.ts';

const SEVERITIES = ['info', 'warning', 'critical'] as const;
/** It takes an alert that it hears nothing of for resolved; ours are until we say so. */
const OPEN_MS = 365 * 86_400_000;

/** They say which alert it is there, so nothing is in them that changes while it is open, such as its cluster. */
function labelsOf(alert: AlertFacts, message: Message): Record<string, string> {
  const fields = fieldsOf(alert, message);
  const all: Record<string, string> = {
    alertname: fields.MetricName || alert.alert_type,
    instance: `${fields.ServerHost}:${fields.ServerPort}`,
    server: fields.ServerName,
    database: fields.DatabaseName,
    object: oneLine(alert.object_name ?? ''),
    alert_type: alert.alert_type,
    alert_id: fields.AlertID,
    source: 'matriarch',
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The severity is a label, so an alert that became worse is another one there, and the milder one has to end. */
function entries(alert: AlertFacts, message: Message): object[] {
  const labels = labelsOf(alert, message);
  const link = linkOf(alert, message);
  const open = new Date(Date.parse(message.timestamp) + OPEN_MS).toISOString();
  const isOpen = message.kind !== 'clear';
  return SEVERITIES.map((severity) => ({
    labels: { ...labels, severity },
    annotations: {
      summary: summaryOf(alert),
      description: explanationOf(alert, message),
      ...Object.fromEntries(
        factLines(alert, message).map(([name, value]) => [name.toLowerCase().replaceAll(/\W+/g, '_'), value]),
      ),
    },
    startsAt: alert.triggered_at,
    endsAt: isOpen && severity === alert.severity ? open : (alert.cleared_at ?? message.timestamp),
    ...(link !== undefined && { generatorURL: link }),
  }));
}

const body = (message: Message): string =>
  JSON.stringify(message.alerts.flatMap((alert) => entries(alert, message)));

export const channel = defineChannel({
  name: 'alertmanager',
  display_name: 'Alertmanager',
  description: 'To a Prometheus Alertmanager, at the address of its web interface.',
  extra: true,
  members: {
    endpoint_url: 'required',
    headers: 'optional',
    auth_type: 'optional',
    auth_credentials: 'optional',
  },
  groups: true,
  keeps_alerts: true,
  body,
  async send(call) {
    const base = call.config.endpoint_url?.replace(/(?<!\/)\/+$/, '');
    if (base === undefined) throw new DeliveryError('The channel has no endpoint_url.');
    const url = base.endsWith('/api/v2/alerts') ? base : `${base}/api/v2/alerts`;
    return call.out.http({ url, method: 'POST', headers: jsonHeaders(call), body: body(call.message) });
  },
});
