// The recipients of an email channel.
import { byId, created, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  EmailRecipient,
  EmailRecipientCreate,
  EmailRecipientUpdate,
} from './notification-channels.schemas.ts';

const operation = operationsOf({ tag: 'notification-channels' });
const access = { permission: 'manage_notification_channels' } as const;
const acting = { ...access, estate: true } as const;
const byRecipient = s.object({ id: s.id(), recipientId: s.id() });
const paramsExample = { id: 1, recipientId: 1 };
const recipient = {
  id: 1,
  channel_id: 1,
  email_address: 'ada@example.com',
  display_name: 'Ada',
  enabled: true,
  created_at: '2026-01-15T09:30:00.000Z',
};

export const listChannelRecipients = operation({
  id: 'listChannelRecipients',
  route: 'GET /api/v1/notification-channels/{id}/recipients',
  summary: 'List email recipients',
  access,
  ...byId(1),
  faults: [404],
  success: ok(s.list(EmailRecipient), [recipient]),
  notes: ['Empty for channels of other types.'],
});

export const addChannelRecipient = operation({
  id: 'addChannelRecipient',
  route: 'POST /api/v1/notification-channels/{id}/recipients',
  summary: 'Add an email recipient',
  access: acting,
  ...byId(1),
  body: EmailRecipientCreate,
  bodyExample: { email_address: 'ada@example.com', display_name: 'Ada' },
  faults: [404, 409],
  success: created(EmailRecipient, recipient),
  notes: ['400 when the channel is not an email channel; 409 when the address is already there.'],
});

export const updateChannelRecipient = operation({
  id: 'updateChannelRecipient',
  route: 'PUT /api/v1/notification-channels/{id}/recipients/{recipientId}',
  summary: 'Update a recipient',
  access: acting,
  params: byRecipient,
  paramsExample,
  body: EmailRecipientUpdate,
  bodyExample: { enabled: false },
  faults: [404, 409],
  success: ok(EmailRecipient, recipient),
  notes: ['Partial, at least one member. 404 when the recipient belongs to another channel.'],
});

export const deleteChannelRecipient = operation({
  id: 'deleteChannelRecipient',
  route: 'DELETE /api/v1/notification-channels/{id}/recipients/{recipientId}',
  summary: 'Delete a recipient',
  access: acting,
  params: byRecipient,
  paramsExample,
  faults: [404],
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['404 when the recipient belongs to another channel.'],
});
