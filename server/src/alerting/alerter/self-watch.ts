// Looks every few seconds whether any work of this product fails, here or in another process: what fails for a minute is an alert, on the
// datastore's own connection where that is watched, else on another one. Guards: it asks nothing of the alerter, which may be what fails,
// and a datastore that is away stops nothing; one alert for each kind of work, whichever process notices; what is sent goes with the
// alert, or not at all.
import { type Ctx, inTransaction, systemPrincipal } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { type FailingPart, failingParts, type PartStates } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { raisedByPart } from '../alerts/alerts.types.ts';
import { type QueueOptions, queueChanges } from '../alerts/outbox.service.ts';
import { clearAlerts, type FiredAlert, insertFired } from './changes.queries.ts';
import { isAnyPart, listOpenParts, placeOf } from './self-watch.queries.ts';

const EVERY_MS = 10_000;

const firedOf = ({ part, title, since, failure }: FailingPart, connection_id: number): FiredAlert => ({
  ...{ connection_id, raised_by: raisedByPart(part), database_name: '', object_name: '' },
  alert_type: 'threshold',
  metric_value: 1,
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

export interface SelfWatchOptions extends QueueOptions {
  db: Database;
  log: Log;
  clock: Clock;
  parts: PartStates;
}

export const startSelfWatch = (options: SelfWatchOptions): Part =>
  startRounds({
    name: 'self-watch',
    pauseMs: EVERY_MS,
    delayMs: EVERY_MS,
    onFailure: (error) => options.log.warn({ event: 'self_watch.failed', err: error }),
    begin: (signal) => {
      const { log, clock, group_seconds, parts } = options;
      const db = until(options.db, () => signal);
      const ctx: Ctx = { db, log, clock, signal, principal: systemPrincipal('server') };
      return { round: () => judgeParts(ctx, { group_seconds }), end: () => parts.leave() };
    },
  });
