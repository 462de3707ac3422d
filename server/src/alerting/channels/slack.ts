// Slack's incoming webhooks, which take blocks. link_names stays off, so that a plain @channel is only a word. Guards: what came from a
// monitored server stands in plain text objects, which know neither formatting nor mentions; no text is longer and no list has more
// than Slack takes, or it would refuse the message.
import type { AlertFacts, Message } from './alert-facts.ts';
import { emojiOf } from './support/fields.ts';
import { jsonBody, postToWebhook } from './support/json.ts';
import {
  briefOf,
  clearedText,
  explanationOf,
  type Fact,
  fitted,
  gravest,
  gravestFirst,
  headline,
  headParts,
  linkOf,
  linkOfAll,
  newFacts,
  newSince,
  partTitle,
} from './support/message-text.ts';
import { defineChannel } from './types.ts';

const HEADER = 150;
const TEXT = 3000;
const FIELD = 2000;
/** A label and its value are two fields; 10 are the most of a section. */
const FACTS_OF_SECTION = 5;
/** Two blocks for each; 50 are the most of a message. */
const MOST_LISTED = 20;
/** In a line of its own, by the clock of the reader. */
const SHOWN_BELOW = ['Since', 'Cleared'];

/** Its text knows `<!channel>`, `<@U…>` and links in angle brackets. */
const slackText = (text: string): string =>
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

/** By the clock of the reader, with the duration that stands behind the time. */
function timeOf(time: string, shown: string): string {
  const text = slackText(shown);
  const held = / \((?:for|after) .+\)$/.exec(text)?.[0] ?? '';
  const seconds = Math.floor(Date.parse(time) / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time_secs}|${text.slice(0, text.length - held.length)}>${held}`;
}

/** Since when, and until when for one that is over. */
const timesOf = (alert: AlertFacts, message: Message): string[] => [
  `*Since* ${timeOf(alert.triggered_at, newSince(alert, message))}`,
  ...(alert.cleared_at === null
    ? []
    : [`*Cleared* ${timeOf(alert.cleared_at, clearedText(alert, message))}`]),
];

/** The label is ours and bold; the value beside it came from elsewhere and stays plain. */
const fieldsOfFact = ([name, value]: Fact): object[] => [
  { type: 'mrkdwn', text: `*${name}*` },
  plain(value, FIELD),
];

function factSections(facts: readonly Fact[]): object[] {
  const pages = Array.from({ length: Math.ceil(facts.length / FACTS_OF_SECTION) }, (_none, page) =>
    facts.slice(page * FACTS_OF_SECTION, (page + 1) * FACTS_OF_SECTION),
  );
  return pages.map((page) => ({ type: 'section', fields: page.flatMap(fieldsOfFact) }));
}

const linkText = (link: string | undefined, words: string): string | undefined =>
  link === undefined ? undefined : `<${link.replaceAll(/[|<>]/g, encodeURIComponent)}|${words}>`;

function single(alert: AlertFacts, message: Message): object[] {
  const facts = newFacts(alert, message).filter(([name]) => !SHOWN_BELOW.includes(name));
  return [
    section(explanationOf(alert, message)),
    ...factSections(facts),
    context([...timesOf(alert, message), linkText(linkOf(alert, message), 'Open in Matriarch')]),
  ];
}

function several(message: Message): object[] {
  const listed = gravestFirst(message).slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  const link = linkText(linkOfAll(message), 'Open all in Matriarch');
  const rest = more > 0 ? `and ${more} more` : undefined;
  return [
    ...listed.flatMap((alert) => [
      section(`${emojiOf(alert)} ${partTitle(alert, message)}\n${briefOf(alert, message)}`),
      context([...timesOf(alert, message), linkText(linkOf(alert, message), 'Open')]),
    ]),
    ...(rest === undefined && link === undefined ? [] : [context([rest, link])]),
  ];
}

/** `text` is what a phone shows before the message is opened. */
function slackMessage(message: Message): { text: string; blocks: object[] } {
  const [alert, ...others] = message.alerts;
  const emoji = emojiOf(gravest(message));
  const head = `${emoji} ${headline(message)}`;
  const { place, what } = headParts(message);
  const isShort = slackText(head).length <= HEADER;
  return {
    text: fitted(head, TEXT, slackText),
    blocks: [
      { type: 'header', text: plain(isShort ? head : `${emoji} ${place}`, HEADER) },
      ...(isShort ? [] : [section(what)]),
      ...(others.length === 0 ? single(alert, message) : several(message)),
    ],
  };
}

const QUIET = { link_names: false, parse: 'none', unfurl_links: false };

const body = (message: Message): string =>
  jsonBody({ message, builtIn: { ...slackMessage(message), ...QUIET }, asText: slackText });

export const channel = defineChannel({
  name: 'slack',
  display_name: 'Slack',
  description: "To a channel of Slack, by one of its app's incoming webhooks.",
  members: { webhook_url: 'required' },
  template: 'json',
  groups: true,
  body,
  send: (call) => postToWebhook(call, body(call.message)),
});
