import { createSender } from '../../alerting/channels/sender.ts';
import { notificationChannelsRoutes } from '../../alerting/notification-channels/notification-channels.routes.ts';
import type { ChannelsDeps } from '../../alerting/notification-channels/notification-channels.service.ts';
import { createRateLimit } from '../../kernel/rate-limit.ts';
import { sharedPart, type TestRoom, vaultOf } from './parts.ts';

export const channelsOf = sharedPart(async (parts): Promise<ChannelsDeps> => {
  const { clock } = parts;
  const sender = createSender({ allow_private_networks: true });
  parts.closeWith(() => sender.stop());
  return {
    vault: await vaultOf(parts),
    sender,
    tests: createRateLimit({ limit: 60, window_ms: 60_000, clock }),
    wrong_signatures: createRateLimit({ limit: 10_000, window_ms: 60_000, clock }),
    allow_private_networks: true,
  };
});

export const channelsRoom: TestRoom = async (parts) => notificationChannelsRoutes(await channelsOf(parts));
