// Operations of channels and their recipients, and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import {
  previewChannelTemplate,
  testNotificationChannel,
  tryNotificationChannel,
} from './channel-test.service.ts';
import { listChannelTypes } from './channel-types.ts';
import * as deliveries from './deliveries.contract.ts';
import {
  listAlertDeliveries,
  listChannelDeliveries,
  resendNotification,
  summarizeChannels,
} from './deliveries.service.ts';
import * as contract from './notification-channels.contract.ts';
import {
  type ChannelsDeps,
  createNotificationChannel,
  deleteNotificationChannel,
  getNotificationChannel,
  listNotificationChannels,
  updateNotificationChannel,
} from './notification-channels.service.ts';
import * as recipients from './recipients.contract.ts';
import {
  addChannelRecipient,
  deleteChannelRecipient,
  listChannelRecipients,
  updateChannelRecipient,
} from './recipients.service.ts';

const DELETED = { status: 'deleted' };

export function notificationChannelsRoutes(deps: ChannelsDeps): Route<Ctx>[] {
  return [
    route(contract.listNotificationChannels, (ctx) => listNotificationChannels(ctx)),
    route(contract.createNotificationChannel, (ctx, { body }) => createNotificationChannel(ctx, deps, body)),
    route(contract.getNotificationChannel, (ctx, { params }) => getNotificationChannel(ctx, params.id)),
    route(contract.updateNotificationChannel, (ctx, { params, body }) =>
      updateNotificationChannel(ctx, deps, { id: params.id, input: body }),
    ),
    route(contract.deleteNotificationChannel, async (ctx, { params }) => {
      await deleteNotificationChannel(ctx, params.id);
      return DELETED;
    }),
    route(contract.testNotificationChannel, async (ctx, { params, body }) => {
      const { recipient_email } = body;
      await testNotificationChannel(ctx, deps, { id: params.id, recipient_email });
      return { status: 'sent' };
    }),
    route(contract.tryNotificationChannel, (ctx, { params, body }) =>
      tryNotificationChannel(ctx, deps, { id: params.id, recipient_email: body.recipient_email }),
    ),
    route(contract.listChannelTypes, () => listChannelTypes()),
    route(contract.previewChannelTemplate, (_ctx, { body }) => previewChannelTemplate(deps, body)),
    route(deliveries.listAlertDeliveries, (ctx, { params, query }) =>
      listAlertDeliveries(ctx, { ...query, ...params }),
    ),
    route(deliveries.listChannelDeliveries, (ctx, { params, query }) =>
      listChannelDeliveries(ctx, { ...query, ...params }),
    ),
    route(deliveries.summarizeChannels, (ctx) => summarizeChannels(ctx)),
    route(deliveries.resendNotification, async (ctx, { params }) => {
      await resendNotification(ctx, params.id);
      return { status: 'queued' };
    }),
    route(recipients.listChannelRecipients, (ctx, { params }) => listChannelRecipients(ctx, params.id)),
    route(recipients.addChannelRecipient, (ctx, { params, body }) =>
      addChannelRecipient(ctx, { id: params.id, input: body }),
    ),
    route(recipients.updateChannelRecipient, (ctx, { params, body }) =>
      updateChannelRecipient(ctx, params, body),
    ),
    route(recipients.deleteChannelRecipient, async (ctx, { params }) => {
      await deleteChannelRecipient(ctx, params);
      return DELETED;
    }),
  ];
}
