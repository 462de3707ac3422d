// Mattermost's incoming webhooks: a headline, and one coloured attachment for each alert. A plain @channel in their text calls everybody,
// so a zero-width space stands behind each @; what Markdown would read is escaped.
import type { AlertFacts, Message } from './alert-facts.ts';
import { colorOf, emojiOf } from './support/fields.ts';
import { jsonBody, postToWebhook } from './support/json.ts';
import {
  briefOf,
  explanationOf,
  gravest,
  gravestFirst,
  headline,
  linkOf,
  linkOfAll,
  newFacts,
  partTitle,
  summaryOf,
} from './support/message-text.ts';
import { defineChannel } from './types.ts';

const MOST_LISTED = 20;
/** Of several alerts at once, what tells them apart. */
const SHORT = ['Since', 'Cleared'];
const OPEN = 'Open in Matriarch';

const asText = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>~|#!]/g, (sign) => `\\${sign}`).replaceAll('@', '@\u200b');

function attachment(alert: AlertFacts, message: Message): object {
  const link = linkOf(alert, message);
  const isAlone = message.alerts.length === 1;
  return {
    color: colorOf(alert),
    fallback: asText(summaryOf(alert)),
    // The headline above says what a single one is, so its title is only the link.
    ...(!isAlone && { title: `${emojiOf(alert)} ${asText(partTitle(alert, message))}` }),
    ...(isAlone && link !== undefined && { title: OPEN }),
    ...(link !== undefined && { title_link: link }),
    text: asText(isAlone ? explanationOf(alert, message) : briefOf(alert, message)),
    fields: newFacts(alert, message)
      .filter(([name]) => isAlone || SHORT.includes(name))
      .map(([title, value]) => ({ title: asText(title), value: asText(value), short: true })),
  };
}

function attachmentsOf(message: Message): { text: string; attachments: object[] } {
  const listed = gravestFirst(message).slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  const link = linkOfAll(message);
  const rest = link === undefined ? `and ${more} more` : `and ${more} more: ${link}`;
  return {
    text: `${emojiOf(gravest(message))} ${asText(headline(message))}`,
    attachments: [
      ...listed.map((alert) => attachment(alert, message)),
      ...(more > 0 ? [{ text: rest }] : []),
    ],
  };
}

const body = (message: Message): string => jsonBody({ message, builtIn: attachmentsOf(message), asText });

export const channel = defineChannel({
  name: 'mattermost',
  display_name: 'Mattermost',
  description: 'To a channel of Mattermost, by an incoming webhook.',
  members: { webhook_url: 'required' },
  template: 'json',
  groups: true,
  body,
  send: (call) => postToWebhook(call, body(call.message)),
});
