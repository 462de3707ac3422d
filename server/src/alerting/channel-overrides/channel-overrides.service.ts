// Overrides of channels for a server, a cluster or a group. The caller's permission has been checked; that they see the
// scope is checked here.

import {
  deleteOverride,
  demandScope,
  demandWholeScope,
  type Scope,
  setOverride,
} from '../../estate/estate.ts';
import type { Ctx } from '../../identity/identity.ts';
import { demandChannel } from '../notification-channels/notification-channels.service.ts';
import { listOverrides, type OverrideRow } from './channel-overrides.queries.ts';

export async function listChannelOverrides(ctx: Ctx, scope: Scope): Promise<OverrideRow[]> {
  await demandScope(ctx, scope);
  return listOverrides(ctx.db, scope);
}

/** What the audit log says was changed. */
async function demandBoth(ctx: Ctx, scope: Scope, id: number) {
  await demandWholeScope(ctx, scope);
  return { kind: 'channel', id, name: (await demandChannel(ctx, id)).name };
}

export async function setChannelOverride(
  ctx: Ctx,
  scope: Scope & { channel_id: number },
  is_enabled: boolean,
): Promise<void> {
  const target = await demandBoth(ctx, scope, scope.channel_id);
  const values = { is_enabled };
  await setOverride(
    ctx,
    { kind: 'channel', ...scope, subject: target.id },
    { values, target, details: values },
  );
}

export async function deleteChannelOverride(ctx: Ctx, scope: Scope & { channel_id: number }): Promise<void> {
  const target = await demandBoth(ctx, scope, scope.channel_id);
  await deleteOverride(ctx, { kind: 'channel', ...scope, subject: target.id }, target);
}
