// Alerts about this product's own work: what fails for a minute is an alert, on the datastore's own connection where that is watched,
// else on another one. Guards: raised apart from the alerter, which may be what fails; one alert for each kind of work, whichever
// process notices; what is sent goes with the alert, or not at all.

import { type Ctx, inTransaction } from '../../identity/identity.ts';
import { type FailingPart, failingParts } from '../../kernel/part-states.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import type { QueueOptions } from '../notification-channels/outbox.service.ts';
import { queueChanges } from './alert-notifications.service.ts';
import { raisedByPart } from './alerts.types.ts';
import { clearAlerts, type FiredAlert, insertFired } from './changes.queries.ts';
import { isAnyPart, listOpenParts, placeOf } from './part-alerts.queries.ts';

const firedOf = ({ part, title, since, failure }: FailingPart, connection_id: number): FiredAlert => ({
  ...{ connection_id, raised_by: raisedByPart(part), database_name: '', object_name: '' },
  alert_type: 'threshold',
  rule_id: null,
  probe_name: null,
  metric_name: null,
  metric_value: 1,
  metric_unit: null,
  operator: '>=',
  threshold_value: 1,
  threshold_source: 'built_in',
  severity: 'critical',
  title: `Matriarch: ${title}`,
  description: `Failing since ${shownTime(since)}. ${failure} Run "matriarch doctor" on the host of Matriarch, and check its log.`,
  sampled_at: since,
});

/** Five statements at most, and one while all is well; answers what fails. */
export async function judgeParts(ctx: Ctx, options: QueueOptions): Promise<FailingPart[]> {
  if (!(await isAnyPart(ctx.db)).is_any) return [];
  const failing = await failingParts(ctx.db);
  const open = await listOpenParts(ctx.db);
  const known = new Set(open.map(({ raised_by }) => raised_by));
  const still = new Set(failing.map(({ part }) => raisedByPart(part)));
  const fresh = failing.filter(({ part }) => !known.has(raisedByPart(part)));
  const over = open.filter(({ raised_by }) => !still.has(raised_by));
  if (fresh.length + over.length === 0) return failing;
  await inTransaction(ctx, async (tx) => {
    const place = fresh.length > 0 ? await placeOf(tx.db) : undefined;
    const fired = place
      ? await insertFired(
          tx.db,
          fresh.map((one) => firedOf(one, place.id)),
        )
      : [];
    const ended = over.map(({ id }) => ({ id, message: 'It works again.' }));
    const cleared = ended.length > 0 ? await clearAlerts(tx.db, ended) : [];
    await queueChanges(tx, { fired, cleared }, options);
  });
  return failing;
}
