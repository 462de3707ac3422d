// Slack's incoming webhooks. Its text knows `<!channel>`, `<@U…>` and links in angle brackets, so these are written out;
// link_names stays off, so that a plain @channel is only a word.
import type { Message } from './alert-facts.ts';
import { attachmentsOf } from './support/attachments.ts';
import { jsonBody, postToWebhook } from './support/json.ts';
import { defineChannel } from './types.ts';

const asText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const QUIET = { link_names: false, parse: 'none', unfurl_links: false };

const body = (message: Message): string =>
  jsonBody({ message, builtIn: { ...attachmentsOf(message, asText), ...QUIET }, asText });

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
