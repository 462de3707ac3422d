// Operations of overrides of channels and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './channel-overrides.contract.ts';
import {
  deleteChannelOverride,
  listChannelOverrides,
  setChannelOverride,
} from './channel-overrides.service.ts';

const OK = { status: 'ok' };

export function channelOverridesRoutes(): Route<Ctx>[] {
  return [
    route(contract.listChannelOverrides, (ctx, { params }) =>
      listChannelOverrides(ctx, { scope: params.scope, scope_id: params.scopeId }),
    ),
    route(contract.setChannelOverride, async (ctx, { params, body }) => {
      const { scope, scopeId, channelId } = params;
      await setChannelOverride(ctx, { scope, scope_id: scopeId, channel_id: channelId }, body.enabled);
      return OK;
    }),
    route(contract.deleteChannelOverride, async (ctx, { params }) => {
      const { scope, scopeId, channelId } = params;
      await deleteChannelOverride(ctx, { scope, scope_id: scopeId, channel_id: channelId });
      return OK;
    }),
  ];
}
