// Microsoft Teams by the webhook of a workflow, which takes an adaptive card. Everything that came from elsewhere stands
// in text runs, which know no Markdown, so that no name becomes a link.
import { cutText } from '../../kernel/inert-text.ts';
import type { AlertFacts, Message } from './alert-facts.ts';
import { emojiOf } from './support/fields.ts';
import { postToWebhook } from './support/json.ts';
import {
  briefOf,
  explanationOf,
  gravest,
  gravestFirst,
  headline,
  linkOfAll,
  newFacts,
  partTitle,
  sinceText,
} from './support/message-text.ts';
import { defineChannel } from './types.ts';

const MOST_LISTED = 15;
/** A message has at most 28 KB; what the workflow puts around it counts. */
const MOST_BYTES = 25_000;
const LONGEST = 2000;
const COLORS = { info: 'accent', warning: 'warning', critical: 'attention' } as const;

const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
const line = (inlines: readonly object[], more: object = {}) => ({ type: 'RichTextBlock', inlines, ...more });

const colorOf = (alert: AlertFacts) => (alert.status === 'cleared' ? 'good' : COLORS[alert.severity]);

const headOf = (message: Message) =>
  line([
    run(`${emojiOf(gravest(message))} ${headline(message)}`, {
      size: 'medium',
      weight: 'bolder',
      color: colorOf(gravest(message)),
    }),
  ]);

const single = (alert: AlertFacts, message: Message): object[] => [
  line([run(cutText(explanationOf(alert, message), LONGEST, '…'))]),
  ...newFacts(alert, message).map(([name, value]) =>
    line([run(`${name}: `, { weight: 'bolder' }), run(value)], { spacing: 'small' }),
  ),
];

/** One of several: what it is, its value with the cause, and since when. */
const partOf = (alert: AlertFacts, message: Message): object[] => [
  line([run(`${emojiOf(alert)} ${partTitle(alert, message)}`, { weight: 'bolder', color: colorOf(alert) })], {
    separator: true,
  }),
  line([run(briefOf(alert, message))], { spacing: 'small' }),
  line([run(`Since ${sinceText(alert, message)}`, { isSubtle: true })], { spacing: 'none' }),
];

function several(message: Message, most: number): object[] {
  const listed = gravestFirst(message).slice(0, most);
  const more = message.alerts.length - listed.length;
  return [
    ...listed.flatMap((alert) => partOf(alert, message)),
    ...(more > 0 ? [line([run(`and ${more} more`)], { separator: true })] : []),
  ];
}

function card(message: Message, most: number): string {
  const [alert, ...others] = message.alerts;
  const url = linkOfAll(message);
  return JSON.stringify({
    type: 'message',
    // What a phone shows before the card is opened.
    summary: headline(message),
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [headOf(message), ...(others.length === 0 ? single(alert, message) : several(message, most))],
          ...(url !== undefined && {
            actions: [{ type: 'Action.OpenUrl', title: 'Open in Matriarch', url }],
          }),
        },
      },
    ],
  });
}

/** Lists as many as fit: long names of many servers are more than a message may hold. */
function body(message: Message): string {
  for (let most = MOST_LISTED; most > 0; most -= 1) {
    const text = card(message, most);
    if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  }
  return card(message, 0);
}

export const channel = defineChannel({
  name: 'teams',
  display_name: 'Microsoft Teams',
  description: 'To a channel or chat of Teams, by the webhook of a workflow.',
  extra: true,
  members: { webhook_url: 'required' },
  groups: true,
  body,
  send: (call) => postToWebhook(call, body(call.message)),
});
