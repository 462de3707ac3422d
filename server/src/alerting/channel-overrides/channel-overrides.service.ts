// Overrides of channels for a server, a cluster or a group. The caller's permission has been checked; that they see the
// scope is asked here.

import { demandScope, demandWholeScope, type Scope } from '../../estate/estate.ts';
import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { demandChannel } from '../notification-channels/notification-channels.service.ts';
import {
  dropOverride,
  listOverrides,
  type OverrideKey,
  type OverrideRow,
  putOverride,
} from './channel-overrides.queries.ts';

export async function listChannelOverrides(ctx: Ctx, scope: Scope): Promise<OverrideRow[]> {
  await demandScope(ctx, scope);
  return listOverrides(ctx.db, scope);
}

/** The channel's name, for the audit log. */
async function demandBoth(ctx: Ctx, { scope, scope_id, channel_id }: OverrideKey): Promise<string> {
  await demandWholeScope(ctx, { scope, scope_id });
  return (await demandChannel(ctx, channel_id)).name;
}

interface Change {
  key: OverrideKey;
  name: string;
  details: { [name: string]: boolean };
}

async function note(tx: Ctx, { key, name, details }: Change): Promise<void> {
  const { scope, scope_id, channel_id: id } = key;
  await recordAudit(tx, {
    action: 'settings.change',
    target: { kind: 'channel', id, name },
    details: { scope, scope_id, ...details },
  });
}

export async function setChannelOverride(ctx: Ctx, key: OverrideKey, enabled: boolean): Promise<void> {
  const name = await demandBoth(ctx, key);
  await inTransaction(ctx, async (tx) => {
    const isThere = await putOverride(tx.db, key, enabled);
    if (!isThere) throw new Fault('not_found', `There is no such ${key.scope}.`);
    await note(tx, { key, name, details: { is_enabled: enabled } });
  });
}

export async function deleteChannelOverride(ctx: Ctx, key: OverrideKey): Promise<void> {
  const name = await demandBoth(ctx, key);
  await inTransaction(ctx, async (tx) => {
    if ((await dropOverride(tx.db, key)) > 0) await note(tx, { key, name, details: { is_deleted: true } });
  });
}
