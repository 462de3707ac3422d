// Microsoft Teams by the webhook of a workflow, which takes an adaptive card. Everything that came from elsewhere stands
// in text runs, which know no Markdown, so that no name becomes a link.
import type { AlertFacts, Message } from './alert-facts.ts';
import { descriptionOf, factLines, headline, linkOf, titleOf } from './support/fields.ts';
import { postToWebhook } from './support/json.ts';
import { defineChannel } from './types.ts';

const MOST_LISTED = 15;
/** A card has at most 28 KB. */
const LONGEST = 1000;
const COLORS = { info: 'accent', warning: 'warning', critical: 'attention' } as const;

const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
const line = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });

function partOf(alert: AlertFacts, message: Message): object[] {
  const color = alert.status === 'cleared' ? 'good' : COLORS[alert.severity];
  const isAlone = message.alerts.length === 1;
  const facts = factLines(alert, message).filter(([name]) => isAlone || name === 'Server');
  return [
    line(run(titleOf(alert), { weight: 'bolder', color })),
    line(run(descriptionOf(alert).slice(0, isAlone ? LONGEST : LONGEST / 5))),
    ...facts.map(([name, value]) => line(run(`${name}: `, { weight: 'bolder' }), run(value))),
  ];
}

function builtIn(message: Message): object {
  const listed = message.alerts.slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  const link = linkOf(message.alerts[0], message);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            line(run(headline(message), { size: 'large', weight: 'bolder' })),
            ...listed.flatMap((alert) => partOf(alert, message)),
            ...(more > 0 ? [line(run(`and ${more} more`))] : []),
          ],
          ...(link !== undefined && {
            actions: [{ type: 'Action.OpenUrl', title: 'Open in Matriarch', url: link }],
          }),
        },
      },
    ],
  };
}

const body = (message: Message): string => JSON.stringify(builtIn(message));

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
