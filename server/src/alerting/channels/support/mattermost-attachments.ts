// A message for Mattermost: a headline, and one coloured attachment for each alert.
import type { AlertFacts, Message } from '../alert-facts.ts';
import { colorOf, emojiOf } from './fields.ts';
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
} from './message-text.ts';

const MOST_LISTED = 20;
/** Of several alerts at once, what tells them apart. */
const SHORT = ['Since', 'Cleared'];
const OPEN = 'Open in Matriarch';

type AsText = (text: string) => string;

function attachment(alert: AlertFacts, message: Message, asText: AsText): object {
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

export function attachmentsOf(message: Message, asText: AsText): { text: string; attachments: object[] } {
  const listed = gravestFirst(message).slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  const link = linkOfAll(message);
  const rest = link === undefined ? `and ${more} more` : `and ${more} more: ${link}`;
  return {
    text: `${emojiOf(gravest(message))} ${asText(headline(message))}`,
    attachments: [
      ...listed.map((alert) => attachment(alert, message, asText)),
      ...(more > 0 ? [{ text: rest }] : []),
    ],
  };
}
