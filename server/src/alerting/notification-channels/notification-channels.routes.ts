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
    route(contract.listNotificationChannels, async (ctx: Ctx) => listNotificationChannels(ctx)),
    route(contract.createNotificationChannel, async (ctx: Ctx, { body }) =>
      createNotificationChannel(ctx, deps, body),
    ),
    route(contract.getNotificationChannel, async (ctx: Ctx, { params }) =>
      getNotificationChannel(ctx, params.id),
    ),
    route(contract.updateNotificationChannel, async (ctx: Ctx, { params, body }) =>
      updateNotificationChannel(ctx, deps, { id: params.id, input: body }),
    ),
    route(contract.deleteNotificationChannel, async (ctx: Ctx, { params }) => {
      await deleteNotificationChannel(ctx, params.id);
      return DELETED;
    }),
    route(contract.testNotificationChannel, async (ctx: Ctx, { params, body }) => {
      const { recipient_email } = body;
      await testNotificationChannel(ctx, deps, { id: params.id, recipient_email });
      return { status: 'sent' };
    }),
    route(contract.tryNotificationChannel, async (ctx: Ctx, { params, body }) =>
      tryNotificationChannel(ctx, deps, { id: params.id, recipient_email: body.recipient_email }),
    ),
    route(contract.listChannelTypes, async (_ctx: Ctx) => listChannelTypes()),
    route(contract.previewChannelTemplate, async (_ctx: Ctx, { body }) => previewChannelTemplate(deps, body)),
    route(deliveries.listAlertDeliveries, async (ctx: Ctx, { params, query }) =>
      listAlertDeliveries(ctx, { ...query, ...params }),
    ),
    route(deliveries.listChannelDeliveries, async (ctx: Ctx, { params, query }) =>
      listChannelDeliveries(ctx, { ...query, ...params }),
    ),
    route(deliveries.summarizeChannels, async (ctx: Ctx) => summarizeChannels(ctx)),
    route(deliveries.resendNotification, async (ctx: Ctx, { params }) => {
      await resendNotification(ctx, params.id);
      return { status: 'queued' };
    }),
    route(recipients.listChannelRecipients, async (ctx: Ctx, { params }) =>
      listChannelRecipients(ctx, params.id),
    ),
    route(recipients.addChannelRecipient, async (ctx: Ctx, { params, body }) =>
      addChannelRecipient(ctx, { id: params.id, input: body }),
    ),
    route(recipients.updateChannelRecipient, async (ctx: Ctx, { params, body }) =>
      updateChannelRecipient(ctx, params, body),
    ),
    route(recipients.deleteChannelRecipient, async (ctx: Ctx, { params }) => {
      await deleteChannelRecipient(ctx, params);
      return DELETED;
    }),
  ];
}
