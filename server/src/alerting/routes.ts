// What the wing alerting serves: rules, alerts, blackouts and channels, with what the API answers where a rule of their tables is
// broken.
import type { PublicCtx } from '../identity/identity.ts';
import type { ConstraintFaults } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';
import { alertRulesRoutes } from './alert-rules/alert-rules.routes.ts';
import { alertsRoutes } from './alerts/alerts.routes.ts';
import { blackoutsRoutes } from './blackouts/blackouts.routes.ts';
import { channelOverridesRoutes } from './channel-overrides/channel-overrides.routes.ts';
import { channelConstraints } from './notification-channels/notification-channels.constraints.ts';
import { notificationChannelsRoutes } from './notification-channels/notification-channels.routes.ts';
import type { ChannelsDeps } from './notification-channels/notification-channels.service.ts';
import { pagerdutyRoutes } from './pagerduty/pagerduty.routes.ts';

export interface AlertingServices {
  channels: ChannelsDeps;
}

export const alertingConstraints: ConstraintFaults = channelConstraints;

export function alertingRoutes({ channels }: AlertingServices): Route<PublicCtx>[] {
  return [
    ...alertRulesRoutes(),
    ...alertsRoutes(),
    ...blackoutsRoutes(),
    ...channelOverridesRoutes(),
    ...notificationChannelsRoutes(channels),
    ...pagerdutyRoutes(channels),
  ];
}
