// PagerDuty by its Events API v2. An alert is one incident there by its dedup_key: triggered, acknowledged and resolved.
import { cutText } from '../../kernel/inert-text.ts';
import type { Message } from './alert-facts.ts';
import { dedupKey, nameOf, oneLine } from './support/fields.ts';
import { jsonHeaders } from './support/json.ts';
import { detailsOf, explanationOf, linkOf, serverOf, summaryOf } from './support/message-text.ts';
import { DeliveryError, defineChannel } from './types.ts';

const ADDRESS = 'https://events.pagerduty.com/v2/enqueue';
const ACTIONS = {
  fire: 'trigger',
  reminder: 'trigger',
  clear: 'resolve',
  acknowledge: 'acknowledge',
} as const;
/** Longest that it takes. */
const SUMMARY = 1024;

/** Without the routing key, which is a secret. */
function eventOf(message: Message): object {
  const [alert] = message.alerts;
  const link = linkOf(alert, message);
  const event = { event_action: ACTIONS[message.kind], dedup_key: dedupKey(alert) };
  if (event.event_action !== 'trigger') return event;
  return {
    ...event,
    client: 'Matriarch',
    ...(link !== undefined && { client_url: link, links: [{ href: link, text: 'Open in Matriarch' }] }),
    payload: {
      // All that a phone call reads aloud.
      summary: cutText(summaryOf(alert), SUMMARY, '…'),
      source: `${nameOf(alert.server_host)}:${alert.server_port}`,
      severity: alert.severity,
      timestamp: alert.triggered_at,
      component: alert.database_name === null ? serverOf(alert) : nameOf(alert.database_name),
      group: serverOf(alert),
      class: oneLine(alert.metric_name ?? alert.alert_type),
      custom_details: { description: explanationOf(alert, message), ...detailsOf(alert, message) },
    },
  };
}

export const channel = defineChannel({
  name: 'pagerduty',
  display_name: 'PagerDuty',
  description: 'Incidents in PagerDuty, by the integration key of an Events API v2 integration.',
  extra: true,
  members: { api_key: 'required', endpoint_url: 'optional', signing_secret: 'optional' },
  default_url: ADDRESS,
  groups: false,
  keeps_alerts: true,
  acknowledges: true,
  body: (message) => JSON.stringify(eventOf(message)),
  async send(call) {
    const key = call.secrets.api_key?.reveal();
    if (key === undefined) throw new DeliveryError('The channel has no api_key.');
    const body = JSON.stringify({ routing_key: key, ...eventOf(call.message) });
    return call.out.http({
      url: call.config.endpoint_url ?? ADDRESS,
      method: 'POST',
      headers: jsonHeaders(call),
      body,
    });
  },
});
