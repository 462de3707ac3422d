// Any HTTP server that takes JSON. The built-in body lists the alerts, one or several, in the names of the API.
import type { AlertFacts, Message } from './alert-facts.ts';
import { descriptionOf, kindName, oneLine, titleOf } from './support/fields.ts';
import { jsonBody, jsonHeaders } from './support/json.ts';
import { headline, linkOf, summaryOf, valueText } from './support/message-text.ts';
import { DeliveryError, defineChannel } from './types.ts';

/** Every text on one line. What the API names comes first; texts ready to show are beside it. */
const clean = (alert: AlertFacts) =>
  Object.fromEntries(
    Object.entries(alert).map(([name, value]) => [name, typeof value === 'string' ? oneLine(value) : value]),
  );

function builtIn(message: Message): object {
  return {
    notification_type: kindName(message),
    timestamp: message.timestamp,
    headline: headline(message),
    alerts: message.alerts.map((alert) => {
      const link = linkOf(alert, message);
      return {
        ...clean(alert),
        title: titleOf(alert),
        description: descriptionOf(alert),
        summary: summaryOf(alert),
        value_text: valueText(alert),
        ...(link !== undefined && { url: link }),
      };
    }),
  };
}

const body = (message: Message): string => jsonBody({ message, builtIn: builtIn(message) });

export const channel = defineChannel({
  name: 'webhook',
  display_name: 'Webhook',
  description: 'JSON to an HTTP server of your own, with headers and credentials.',
  members: {
    endpoint_url: 'required',
    http_method: 'optional',
    headers: 'optional',
    auth_type: 'optional',
    auth_credentials: 'optional',
  },
  template: 'json',
  groups: true,
  body,
  async send(call) {
    const url = call.config.endpoint_url;
    if (url === undefined) throw new DeliveryError('The channel has no endpoint_url.');
    const method = call.config.http_method ?? 'POST';
    return call.out.http({ url, method, headers: jsonHeaders(call), body: body(call.message) });
  },
});
