// The message with one coloured attachment for each alert that Slack and Mattermost both know. What differs is how a
// text is kept a text.
import type { AlertFacts, Message } from '../alert-facts.ts';
import { colorOf, descriptionOf, emojiOf, factLines, headline, linkOf, titleOf } from './fields.ts';

const MOST_LISTED = 20;
/** Of several alerts at once only what tells them apart. */
const SHORT = ['Server', 'Database', 'Object'];

type AsText = (text: string) => string;

function attachment(alert: AlertFacts, message: Message, asText: AsText): object {
  const link = linkOf(alert, message);
  const isAlone = message.alerts.length === 1;
  return {
    color: colorOf(alert),
    fallback: asText(titleOf(alert)),
    title: asText(titleOf(alert)),
    ...(link !== undefined && { title_link: link }),
    text: asText(descriptionOf(alert)),
    fields: factLines(alert, message)
      .filter(([name]) => isAlone || SHORT.includes(name))
      .map(([title, value]) => ({ title: asText(title), value: asText(value), short: true })),
  };
}

export function attachmentsOf(message: Message, asText: AsText): { text: string; attachments: object[] } {
  const listed = message.alerts.slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  return {
    text: `${emojiOf(message.alerts[0])} ${asText(headline(message))}`,
    attachments: [
      ...listed.map((alert) => attachment(alert, message, asText)),
      ...(more > 0 ? [{ text: `and ${more} more` }] : []),
    ],
  };
}
