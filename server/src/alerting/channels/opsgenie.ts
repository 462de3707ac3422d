// Opsgenie by its Alert API v2. An alert is known there by its alias: created, acknowledged and closed.
import { cutText } from '../../kernel/inert-text.ts';
import type { Message } from './alert-facts.ts';
import { dedupKey, nameOf } from './support/fields.ts';
import { jsonHeaders } from './support/json.ts';
import { detailsOf, explanationOf, linkOf, serverOf, summaryOf } from './support/message-text.ts';
import { DeliveryError, defineChannel } from './types.ts';

const ADDRESS = 'https://api.opsgenie.com';
const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5' } as const;
const SOURCE = 'Matriarch';
/** Longest that they take. */
const MESSAGE = 130;
const ENTITY = 512;

function bodyOf(message: Message): object {
  const [alert] = message.alerts;
  if (message.kind === 'clear') return { source: SOURCE, note: `Cleared. ${explanationOf(alert, message)}` };
  if (message.kind === 'acknowledge') {
    const who = nameOf(alert.acknowledged_by);
    return { source: SOURCE, note: who ? `Acknowledged by ${who}.` : 'Acknowledged.' };
  }
  const link = linkOf(alert, message);
  const summary = summaryOf(alert);
  const short = cutText(summary, MESSAGE, '…');
  // Shown below the message, so it has the whole summary only where the message had no room for it.
  const whole = short === summary ? undefined : summary;
  return {
    message: short,
    alias: dedupKey(alert),
    description: [whole, explanationOf(alert, message), link].filter(Boolean).join('\n\n'),
    priority: PRIORITIES[alert.severity],
    source: SOURCE,
    entity: cutText(serverOf(alert), ENTITY),
    details: detailsOf(alert, message),
  };
}

function pathOf(message: Message): string {
  const alias = encodeURIComponent(dedupKey(message.alerts[0]));
  if (message.kind === 'clear') return `/v2/alerts/${alias}/close?identifierType=alias`;
  if (message.kind === 'acknowledge') return `/v2/alerts/${alias}/acknowledge?identifierType=alias`;
  return '/v2/alerts';
}

export const channel = defineChannel({
  name: 'opsgenie',
  display_name: 'Opsgenie',
  description: 'Alerts in Opsgenie, by an API key. In Europe with the address https://api.eu.opsgenie.com.',
  extra: true,
  members: { api_key: 'required', endpoint_url: 'optional' },
  default_url: ADDRESS,
  groups: false,
  keeps_alerts: true,
  acknowledges: true,
  body: (message) => JSON.stringify(bodyOf(message)),
  async send(call) {
    const key = call.secrets.api_key?.reveal();
    if (key === undefined) throw new DeliveryError('The channel has no api_key.');
    const base = (call.config.endpoint_url ?? ADDRESS).replace(/(?<!\/)\/+$/, '');
    return call.out.http({
      url: `${base}${pathOf(call.message)}`,
      method: 'POST',
      headers: { ...jsonHeaders(call), authorization: `GenieKey ${key}` },
      body: JSON.stringify(bodyOf(call.message)),
    });
  },
});
