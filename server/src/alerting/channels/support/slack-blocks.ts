// A message for Slack in blocks. Pure. Guards: what came from a monitored server stands in plain text objects, which know neither
// formatting nor mentions; no text is longer and no list has more than Slack takes, or it would refuse the message.
import type { AlertFacts, Message } from '../alert-facts.ts';
import { emojiOf } from './fields.ts';
import {
  briefOf,
  explanationOf,
  factLines,
  fitted,
  gravest,
  gravestFirst,
  headline,
  linkOf,
  linkOfAll,
  sinceText,
  summaryOf,
} from './message-text.ts';

const HEADER = 150;
const TEXT = 3000;
const FIELD = 2000;
const MOST_FIELDS = 10;
/** Two blocks for each; 50 are the most of a message. */
const MOST_LISTED = 20;
/** In a line of its own, by the clock of the reader. */
const SHOWN_BELOW = 'Since';

/** Its text knows `<!channel>`, `<@U…>` and links in angle brackets. */
export const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const plain = (text: string, most: number) => ({
  type: 'plain_text',
  text: fitted(text, most, slackText),
  emoji: false,
});
const section = (text: string) => ({ type: 'section', text: plain(text, TEXT) });
/** Only of what is ours, escaped before. */
const context = (parts: readonly (string | undefined)[]) => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text: parts.filter((part) => part !== undefined).join(' · ') }],
});

/** By the clock of the reader. */
function sinceOf(alert: AlertFacts, message: Message): string {
  const seconds = Math.floor(Date.parse(alert.triggered_at) / 1000);
  const text = slackText(sinceText(alert, message));
  const held = / \(for .+\)$/.exec(text)?.[0] ?? '';
  return `Since <!date^${seconds}^{date_short_pretty} {time_secs}|${text.slice(0, text.length - held.length)}>${held}`;
}

const linkText = (link: string | undefined, words: string): string | undefined =>
  link === undefined ? undefined : `<${link.replaceAll(/[|<>]/g, encodeURIComponent)}|${words}>`;

function single(alert: AlertFacts, message: Message): object[] {
  const facts = factLines(alert, message).filter(([name]) => name !== SHOWN_BELOW);
  return [
    section(explanationOf(alert, message)),
    {
      type: 'section',
      fields: facts.slice(0, MOST_FIELDS).map(([name, value]) => plain(`${name}\n${value}`, FIELD)),
    },
    context([sinceOf(alert, message), linkText(linkOf(alert, message), 'Open in Matriarch')]),
  ];
}

function several(message: Message): object[] {
  const listed = gravestFirst(message).slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  const link = linkText(linkOfAll(message), 'Open all in Matriarch');
  const rest = more > 0 ? `and ${more} more` : undefined;
  return [
    ...listed.flatMap((alert) => [
      section(`${emojiOf(alert)} ${summaryOf(alert)}\n${briefOf(alert, message)}`),
      context([sinceOf(alert, message), linkText(linkOf(alert, message), 'Open')]),
    ]),
    ...(rest === undefined && link === undefined ? [] : [context([rest, link])]),
  ];
}

/** `text` is what a phone shows before the message is opened. */
export function slackMessage(message: Message): { text: string; blocks: object[] } {
  const [alert, ...others] = message.alerts;
  const head = `${emojiOf(gravest(message))} ${headline(message)}`;
  return {
    text: fitted(head, TEXT, slackText),
    blocks: [
      { type: 'header', text: plain(head, HEADER) },
      ...(slackText(head).length > HEADER ? [section(head)] : []),
      ...(others.length === 0 ? single(alert, message) : several(message)),
    ],
  };
}
