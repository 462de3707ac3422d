// Mattermost's incoming webhooks. A plain @channel in their text calls everybody, so a zero-width space stands behind
// each @; what Markdown would read is escaped.
import type { Message } from './alert-facts.ts';
import { jsonBody, postToWebhook } from './support/json.ts';
import { attachmentsOf } from './support/mattermost-attachments.ts';
import { defineChannel } from './types.ts';

const asText = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>~|#!]/g, (sign) => `\\${sign}`).replaceAll('@', '@\u200b');

const body = (message: Message): string =>
  jsonBody({ message, builtIn: attachmentsOf(message, asText), asText });

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
