// Channels: where alerts are told. Whoever may not manage them reads a reduced form; nobody reads a secret.
import { byId, created, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  ChannelTrial,
  ChannelTypeInfo,
  NotificationChannel,
  NotificationChannelCreate,
  NotificationChannelUpdate,
  PreviewTemplateRequest,
  PreviewTemplateResponse,
  TestChannelRequest,
} from './notification-channels.schemas.ts';

const operation = operationsOf({ tag: 'notification-channels' });
const access = { permission: 'manage_notification_channels' } as const;
/** Any server may be told of by a channel, so whatever is done to one is done to the estate. */
const acting = { ...access, estate: true } as const;

const channel = {
  id: 1,
  owner_username: 'admin',
  enabled: true,
  channel_type: 'webhook',
  name: 'On call',
  webhook_url_set: false,
  endpoint_url: 'https://hooks.example.com/alerts',
  http_method: 'POST',
  header_names: ['X-Team'],
  auth_type: 'bearer',
  auth_credentials_set: true,
  api_key_set: false,
  signing_secret_set: false,
  smtp_port: 587,
  smtp_username_set: false,
  smtp_password_set: false,
  smtp_use_tls: true,
  reminder_enabled: true,
  reminder_interval_hours: 4,
  is_estate_default: true,
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
};
const reduced =
  'Without manage_notification_channels the members endpoint_url, header_names, smtp_host, from_address, from_name, template_* and recipients are absent.';

export const listNotificationChannels = operation({
  id: 'listNotificationChannels',
  route: 'GET /api/v1/notification-channels',
  summary: 'List channels',
  access: 'signed-in',
  success: ok(s.list(NotificationChannel), [channel]),
  notes: ['Ordered by name. Secrets are never returned, only the *_set flags and header_names.', reduced],
});

export const createNotificationChannel = operation({
  id: 'createNotificationChannel',
  route: 'POST /api/v1/notification-channels',
  summary: 'Create a channel',
  access: acting,
  body: NotificationChannelCreate,
  bodyExample: {
    channel_type: 'slack',
    name: 'On call',
    webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX',
    is_estate_default: true,
  },
  success: created(NotificationChannel, channel),
  notes: [
    'Members that the type requires are checked, those of another type ignored; listChannelTypes tells them.',
    'Bad templates, bad URLs and refused addresses are 400.',
  ],
});

export const getNotificationChannel = operation({
  id: 'getNotificationChannel',
  route: 'GET /api/v1/notification-channels/{id}',
  summary: 'Get a channel',
  access: 'signed-in',
  ...byId(1),
  faults: [404],
  success: ok(NotificationChannel, channel),
  notes: [reduced],
});

export const updateNotificationChannel = operation({
  id: 'updateNotificationChannel',
  route: 'PUT /api/v1/notification-channels/{id}',
  summary: 'Update a channel',
  access: acting,
  ...byId(1),
  body: NotificationChannelUpdate,
  bodyExample: { enabled: false },
  faults: [404],
  success: ok(NotificationChannel, channel),
  notes: [
    'Partial. An absent secret keeps the stored one, an empty one clears it. The type cannot change.',
    'headers is replaced whole; an empty value keeps the stored one of that name.',
    'Stored secrets belong to the address they were entered for: 400 when it changes, or TLS is switched off, without entering them again.',
    'What waits for the channel is tried again at once.',
  ],
});

export const deleteNotificationChannel = operation({
  id: 'deleteNotificationChannel',
  route: 'DELETE /api/v1/notification-channels/{id}',
  summary: 'Delete a channel',
  access: acting,
  ...byId(1),
  faults: [404],
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['Its recipients, overrides and deliveries go with it.'],
});

export const testNotificationChannel = operation({
  id: 'testNotificationChannel',
  route: 'POST /api/v1/notification-channels/{id}/test',
  summary: 'Send a test notification',
  access: acting,
  ...byId(1),
  body: TestChannelRequest,
  bodyOptional: true,
  bodyExample: { recipient_email: 'ada@example.com' },
  faults: [404],
  success: ok(StatusResponse, { status: 'sent' }),
  notes: [
    'Works on disabled channels. recipient_email counts only for email; without it the enabled recipients are used.',
    '400 with the reason when the configuration is incomplete, there is no recipient, or delivery fails.',
    'At most 60 a minute for a user, and 15 s each.',
  ],
});

export const tryNotificationChannel = operation({
  id: 'tryNotificationChannel',
  route: 'POST /api/v1/notification-channels/{id}/trial',
  summary: 'Send a test notification, and show what the other side answered',
  access: acting,
  ...byId(1),
  body: TestChannelRequest,
  bodyOptional: true,
  bodyExample: { recipient_email: 'ada@example.com' },
  faults: [404],
  extra: true,
  success: ok(ChannelTrial, {
    delivered: false,
    words: 'The other side has a fault of its own. (HTTP 500)',
    took_ms: 38,
    answer: { status: 500, text: 'upstream is down', is_cut: false },
  }),
  notes: [
    'As testNotificationChannel, but a delivery that fails is a reply too, with the answer of the other side as plain text.',
    'Stored secrets are taken out of that text, it is cut at 2,000 characters, and it is stored and logged nowhere.',
    'Channels that keep alerts get the end of the test too: the answer to the last message is shown.',
  ],
});

export const listChannelTypes = operation({
  id: 'listChannelTypes',
  route: 'GET /api/v1/notification-channels/types',
  summary: 'List the types of channels with what configures them',
  access: 'signed-in',
  usesDatastore: false,
  extra: true,
  success: ok(s.list(ChannelTypeInfo), [
    {
      channel_type: 'slack',
      display_name: 'Slack',
      description: "To a channel of Slack, by one of its app's incoming webhooks.",
      members: [{ name: 'webhook_url', kind: 'text', required: true, is_secret: true }],
      has_recipients: false,
      template: 'json',
      template_fields: ['AlertTitle', 'Severity'],
    },
  ]),
});

export const previewChannelTemplate = operation({
  id: 'previewChannelTemplate',
  reads: true,
  route: 'POST /api/v1/notification-channels/preview',
  summary: 'Show a message as a channel would send it',
  access,
  usesDatastore: false,
  body: PreviewTemplateRequest,
  bodyExample: { channel_type: 'slack', template: '{"text": "{{.AlertTitle}}"}' },
  extra: true,
  success: ok(PreviewTemplateResponse, {
    content_type: 'application/json',
    body: '{"text": "orders-db-1: Server unreachable"}',
  }),
  notes: ['Of a sample alert. Nothing is sent or stored. A bad template is 400.'],
});
