// Keeps up what is usual of each server: one server at a time, those that wait longest first, once a day, and once an hour while
// little is known. Guards: it reads the past as a backtest does, and writes only while this process has the lease; a server
// that cannot be read keeps no other one waiting.

import {
  anomalyMetrics,
  type Baseline,
  dueConnections,
  keptFor,
  metricHistory,
  planHistory,
  saveBaselines,
} from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { databaseOf } from './anomalies.ts';
import { profileOf, type Value } from './anomaly-score.ts';
import type { Lease } from './changes.ts';

/** Three weeks and some, so that each hour of the week is there three times. */
const LOOK_BACK_MS = 28 * 24 * HOUR_MS;
const DUE = { days_known: 7, old_hours: 24, young_hours: 1 };
const MOST_DUE = 100;
const PROBES = [...new Set(anomalyMetrics.map(({ probe }) => probe.name))];

/** What is usual on a connection now, as far as anything is known. */
export async function baselinesOf(
  db: Db,
  { connection_id, now }: { connection_id: number; now: number },
): Promise<Baseline[]> {
  const settings = new Map(
    (await keptFor(db, { connection_id, probes: PROBES, from: now - LOOK_BACK_MS })).map((one) => [
      one.probe,
      one,
    ]),
  );
  const made: Baseline[] = [];
  for (const { probe, metric } of anomalyMetrics) {
    const set = settings.get(probe.name);
    if (!set) continue;
    const { retention_days, interval_seconds, entities } = set;
    const window = { from: now - LOOK_BACK_MS, to: now, now };
    const few = { known_since: window.from, connections: 1, entities: Math.max(1, entities) };
    const parts = planHistory({
      probe,
      metric,
      kept_days: retention_days,
      interval_seconds,
      ...window,
      ...few,
    });
    if (!parts || parts.length === 0) continue;
    const intervalOf = () => interval_seconds;
    const connection_ids = [connection_id];
    const { histories } = await metricHistory(db, {
      probe,
      metric,
      connection_ids,
      worst: 'avg',
      parts,
      intervalOf,
    });
    for (const { values, ...history } of histories) {
      const known = values.flatMap(({ at, value }): Value[] => (value === null ? [] : [{ at, value }]));
      const profile = profileOf(known, metric.unit);
      if (!profile) continue;
      const { known_since, medians, spreads } = profile;
      made.push({
        database_name: databaseOf(history),
        metric: metric.wireName,
        known_since: new Date(known_since).toISOString(),
        medians,
        spreads,
      });
    }
  }
  return made;
}

export interface KeepOptions {
  db: Db;
  log: Log;
  lease: Lease;
  /** The datastore's time, in milliseconds since the epoch. */
  now: number;
}

export class BaselineKeeper {
  /** When each was tried last: of one of which nothing is known there is nothing to write. */
  readonly #tried = new Map<number, number>();
  #askedAt = Number.NEGATIVE_INFINITY;
  #due: number[] = [];

  async #next({ db, now }: KeepOptions): Promise<number | undefined> {
    if (this.#due.length === 0 && now - this.#askedAt >= HOUR_MS / 60) {
      this.#askedAt = now;
      const most = MOST_DUE + this.#tried.size;
      const due = await dueConnections(db, { ...DUE, most });
      for (const [id, at] of this.#tried) if (now - at >= HOUR_MS) this.#tried.delete(id);
      this.#due = due.flatMap(({ connection_id: id }) => (this.#tried.has(id) ? [] : [id]));
    }
    return this.#due.shift();
  }

  /** One server, if any is due. */
  async keep(options: KeepOptions): Promise<void> {
    const { db, log, lease, now } = options;
    const connection_id = await this.#next(options);
    if (connection_id === undefined) return;
    this.#tried.set(connection_id, now);
    try {
      const baselines = await baselinesOf(db, { connection_id, now });
      if (baselines.length > 0) await saveBaselines(db, { connection_id, lease }, baselines);
    } catch (error) {
      if (error instanceof Fault && error.code === 'unavailable') throw error;
      log.warn({ event: 'alerter.baselines_failed', connection_id, err: error });
    }
  }
}
