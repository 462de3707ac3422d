// What became of notifications, for whoever may see their connections; and having one sent again.

import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import type { Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { notifyQueued } from '../alerts/outbox.service.ts';
import type { listChannelDeliveries as contract } from './deliveries.contract.ts';
import * as queries from './deliveries.queries.ts';
import { demandChannel } from './notification-channels.service.ts';
import { listSummaries, type SummaryRow } from './summaries.queries.ts';

export type DeliveryPage = Output<typeof contract>;
export type Delivery = DeliveryPage['deliveries'][number];

function viewOf(
  { due_at, attempts: _count, ...row }: queries.DeliveryRow,
  attempts: readonly queries.AttemptRow[],
): Delivery {
  return {
    ...row,
    next_attempt_at: row.state === 'queued' ? due_at : null,
    attempts: attempts
      .filter(({ message_id }) => message_id === row.message_id)
      .map(({ message_id: _, ...attempt }) => attempt),
  };
}

/** What fits, newest first, in three statements. */
export async function listDeliveriesOf(
  ctx: Pick<Ctx, 'db'>,
  filter: queries.DeliveryFilter,
): Promise<DeliveryPage> {
  const [rows, { count }] = await Promise.all([
    queries.listDeliveries(ctx.db, filter),
    queries.countDeliveries(ctx.db, filter),
  ]);
  const ids = [...new Set(rows.flatMap(({ message_id }) => message_id ?? []))];
  const attempts = await queries.listAttempts(ctx.db, ids);
  return { deliveries: rows.map((row) => viewOf(row, attempts)), total_count: count };
}

interface DeliveriesQuery {
  id: number;
  state?: queries.DeliveryRow['state'] | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

const pageOf = ({ state, limit = 100, offset = 0 }: DeliveriesQuery) => ({ state, limit, offset });

export async function listAlertDeliveries(ctx: Ctx, asked: DeliveriesQuery): Promise<DeliveryPage> {
  if (!(await queries.findAlert(ctx.db, ctx.principal, asked.id)))
    throw new Fault('not_found', 'There is no such alert.');
  return listDeliveriesOf(ctx, { reader: ctx.principal, alert_id: asked.id, ...pageOf(asked) });
}

export async function listChannelDeliveries(ctx: Ctx, asked: DeliveriesQuery): Promise<DeliveryPage> {
  await demandChannel(ctx, asked.id);
  return listDeliveriesOf(ctx, { reader: ctx.principal, channel_id: asked.id, ...pageOf(asked) });
}

/** Of all channels. The caller's permission has been checked. */
export const summarizeChannels = (ctx: Ctx): Promise<SummaryRow[]> => listSummaries(ctx.db, ctx.principal);

/** The caller's permission has been checked. Answers how many were put into the queue. */
export async function resendNotification(ctx: Ctx, id: number): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const reader = tx.principal;
    const [row] = await queries.listDeliveries(tx.db, { reader, id, limit: 1, offset: 0 });
    if (!row) throw new Fault('not_found', 'There is no such notification.');
    const queued = await queries.requeue(tx.db, id, new Date(tx.clock.now()).toISOString());
    if (queued.length === 0)
      throw new Fault('conflict', 'The notification is being sent now. Wait for what comes of it.');
    await notifyQueued(tx.db);
    const { channel_id, channel_name: name, alert_id, connection_id, report_schedule_id } = row;
    await recordAudit(tx, {
      action: 'notification.resend',
      target: { kind: 'channel', id: channel_id, name },
      details: {
        ...{ notification_id: id, queued: queued.length },
        ...(report_schedule_id === null ? { alert_id, connection_id } : { report_schedule_id }),
      },
    });
    return queued.length;
  });
}
