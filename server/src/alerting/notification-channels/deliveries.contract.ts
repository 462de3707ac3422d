// What became of notifications: by alert and by channel, with every attempt; and sending again. Only of connections that
// the caller can see.

import { byId, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { CHANNEL_TYPES, EXTRA_CHANNEL_TYPES } from '../channels/channel-names.schemas.ts';

const operation = operationsOf({ tag: 'notification-channels', extra: true });
const STATES = ['queued', 'sending', 'sent', 'dead', 'skipped'] as const;

const Attempt = s.component('DeliveryAttempt', {
  attempt: s.integer(),
  started_at: s.timestamp(),
  ended_at: s.nullable(s.timestamp()),
  outcome: s.nullable(
    s.oneOf(['delivered', 'failed', 'interrupted'], { description: 'Null while it is under way.' }),
  ),
  reply: s.nullable(s.text({ description: 'What the other side did, in our own words.' })),
});

const Delivery = s.component('Delivery', {
  id: s.longId(),
  alert_id: s.nullable(s.longId({ description: 'Null for a report.' })),
  connection_id: s.nullable(s.integer({ description: 'Null for a report.' })),
  report_schedule_id: s.nullable(
    s.integer({ description: 'The schedule of a report; null for anything else.' }),
  ),
  channel_id: s.longId(),
  channel_name: s.text(),
  channel_type: s.oneOf(CHANNEL_TYPES, { extra: EXTRA_CHANNEL_TYPES }),
  kind: s.oneOf(['fire', 'clear', 'reminder', 'acknowledge', 'report']),
  sequence: s.integer(),
  state: s.oneOf(STATES, {
    description:
      'dead: given up after a day; skipped: there was nothing to tell any more, the alert itself was not told, or the owner of a report may not see it any more.',
  }),
  title: s.text(),
  server_name: s.text(),
  message_id: s.nullable(s.text({ description: 'Alerts that went in one message share it.' })),
  queued_at: s.timestamp(),
  next_attempt_at: s.nullable(s.timestamp()),
  ended_at: s.nullable(s.timestamp()),
  attempts: s.list(Attempt),
  reply: s.nullable(s.text()),
});

const DeliveryList = s.component('DeliveryList', { deliveries: s.list(Delivery), total_count: s.integer() });

const page = s.object({
  state: s.optional(s.oneOf(STATES)),
  limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 100 })),
  offset: s.optional(s.integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
});

const example = {
  deliveries: [
    {
      id: 7,
      alert_id: 17,
      connection_id: 2,
      report_schedule_id: null,
      channel_id: 1,
      channel_name: 'On call',
      channel_type: 'slack',
      kind: 'fire',
      sequence: 1,
      state: 'sent',
      title: 'orders-primary cannot be reached',
      server_name: 'orders-primary',
      message_id: '3f2b8a52-6c0e-4a58-9a53-0d8a2f3f4f10',
      queued_at: '2026-01-15T09:30:00.000Z',
      next_attempt_at: null,
      ended_at: '2026-01-15T09:30:01.000Z',
      attempts: [
        {
          attempt: 1,
          started_at: '2026-01-15T09:30:00.500Z',
          ended_at: '2026-01-15T09:30:01.000Z',
          outcome: 'delivered',
          reply: 'Delivered. (HTTP 200)',
        },
      ],
      reply: 'Delivered. (HTTP 200)',
    },
  ],
  total_count: 1,
};
const order = 'Newest first. Replies are in our own words: nothing that the other side wrote, and no secret.';

export const listAlertDeliveries = operation({
  id: 'listAlertDeliveries',
  route: 'GET /api/v1/alerts/{id}/deliveries',
  summary: 'Where an alert was told, and when',
  access: { object: 'alert', need: 'read' },
  ...byId(1),
  query: page,
  faults: [404],
  success: ok(DeliveryList, example),
  notes: [order],
});

export const listChannelDeliveries = operation({
  id: 'listChannelDeliveries',
  route: 'GET /api/v1/notification-channels/{id}/deliveries',
  summary: 'What a channel was to tell, and what came of it',
  access: { permission: 'manage_notification_channels' },
  ...byId(1),
  query: page,
  faults: [404],
  success: ok(DeliveryList, example),
  notes: [order, 'Only of connections that the caller can see, and of reports that are theirs.'],
});

const ChannelSummary = s.component('ChannelSummary', {
  channel_id: s.longId(),
  waiting: s.integer({ description: 'Notifications that are queued or being sent.' }),
  dead: s.integer({ description: 'Notifications that were given up and not sent again since.' }),
  last_sent_at: s.nullable(s.timestamp({ description: 'When the other side last took one.' })),
  retry_at: s.nullable(
    s.timestamp({ description: 'The channel is failing: when it is tried again. Null while it is not.' }),
  ),
  last_reply: s.nullable(s.text({ description: 'While it is failing: what came of the newest attempt.' })),
});

export const summarizeChannels = operation({
  id: 'summarizeChannels',
  route: 'GET /api/v1/notification-channels/summaries',
  summary: 'How deliveries of every channel stand',
  access: { permission: 'manage_notification_channels' },
  success: ok(s.list(ChannelSummary), [
    {
      channel_id: 1,
      waiting: 2,
      dead: 0,
      last_sent_at: '2026-01-15T09:30:01.000Z',
      retry_at: '2026-01-15T09:45:00.000Z',
      last_reply: 'The other side has a fault of its own. (HTTP 500)',
    },
  ]),
  notes: ['One for each channel. Only notifications of connections that the caller can see are counted.'],
});

export const resendNotification = operation({
  id: 'resendNotification',
  route: 'POST /api/v1/notifications/{id}/resend',
  summary: 'Send a notification again',
  access: { permission: 'manage_notification_channels' },
  ...byId(1),
  faults: [404, 409],
  success: ok(StatusResponse, { status: 'queued' }),
  notes: [
    'A dead letter takes along the others of its message, and what was not sent because of it.',
    'A queued one is tried at once. 409 while it is being sent.',
  ],
});
