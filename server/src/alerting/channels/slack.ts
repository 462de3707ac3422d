// Slack's incoming webhooks, which take blocks. link_names stays off, so that a plain @channel is only a word.
import type { Message } from './alert-facts.ts';
import { jsonBody, postToWebhook } from './support/json.ts';
import { slackMessage, slackText } from './support/slack-blocks.ts';
import { defineChannel } from './types.ts';

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
