// Recipients of email channels. Guards: one belongs to its channel, and no address is there twice. The caller's
// permission has been checked.

import { type Ctx, inTransaction } from '../../identity/identity.ts';
import type { Input } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { checkEmailAddress, refuse } from './channel-input.ts';
import { type RecipientView, recipientView } from './channel-view.ts';
import {
  dropRecipient,
  insertRecipient,
  listRecipients,
  updateRecipient,
} from './notification-channels.queries.ts';
import { demandChannel, noteChannel } from './notification-channels.service.ts';
import type { addChannelRecipient as add, updateChannelRecipient as update } from './recipients.contract.ts';

const GONE = 'The channel has no such recipient.';

export async function listChannelRecipients(ctx: Ctx, id: number): Promise<RecipientView[]> {
  await demandChannel(ctx, id);
  return (await listRecipients(ctx.db, [id])).map(recipientView);
}

export async function addChannelRecipient(
  ctx: Ctx,
  { id, input }: { id: number; input: Input<typeof add>['body'] },
): Promise<RecipientView> {
  const email_address = input.email_address.trim();
  return inTransaction(ctx, async (tx) => {
    const channel = await demandChannel(tx, id);
    if (channel.channel_type !== 'email') refuse('Only email channels have recipients.');
    checkEmailAddress('email_address', email_address);
    const { display_name = '', enabled = true } = input;
    const row = await insertRecipient(tx.db, { channel_id: id, email_address, display_name, enabled });
    await noteChannel(tx, channel, { action: 'channel.change', details: { added_recipient: email_address } });
    return recipientView(row);
  });
}

export async function updateChannelRecipient(
  ctx: Ctx,
  named: { id: number; recipientId: number },
  input: Input<typeof update>['body'],
): Promise<RecipientView> {
  const { display_name, enabled } = input;
  const email_address = input.email_address?.trim();
  if (email_address === undefined && display_name === undefined && enabled === undefined)
    refuse('Give at least one of email_address, display_name and enabled.');
  if (email_address !== undefined) checkEmailAddress('email_address', email_address);
  return inTransaction(ctx, async (tx) => {
    const channel = await demandChannel(tx, named.id);
    const change = { channel_id: named.id, id: named.recipientId, email_address, display_name, enabled };
    const row = await updateRecipient(tx.db, change);
    if (!row) throw new Fault('not_found', GONE);
    await noteChannel(tx, channel, {
      action: 'channel.change',
      details: { changed_recipient: row.email_address },
    });
    return recipientView(row);
  });
}

export async function deleteChannelRecipient(
  ctx: Ctx,
  { id, recipientId }: { id: number; recipientId: number },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const channel = await demandChannel(tx, id);
    if ((await dropRecipient(tx.db, id, recipientId)) === 0) throw new Fault('not_found', GONE);
    await noteChannel(tx, channel, {
      action: 'channel.change',
      details: { removed_recipient: String(recipientId) },
    });
  });
}
