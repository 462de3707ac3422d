// The parts of the role alerter: blackouts made from their schedules, and samples judged. What they write
// they write in the datastore alone.
import { blackoutsInForce } from '../areas/blackouts/in-force.service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database, Db } from '../kernel/db.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { startAlerter } from './alerter.ts';
import { startBlackoutTicks } from './blackout-ticks.ts';

export interface AlertingOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** The datastore, for hints. */
  url: Secret;
  /** The collector of this process: whose leases it has are free at once when that dies. */
  owner: string | undefined;
  lifecycle: Lifecycle;
}

export function startAlerting({ db, log, clock, url, owner, lifecycle }: AlertingOptions): void {
  const own = owner === undefined ? {} : { owner };
  const blackouts = (of: Db) => blackoutsInForce(of, clock.now());
  lifecycle.add(startBlackoutTicks({ db, log, clock, ...own }));
  lifecycle.add(startAlerter({ db, log, clock, url, blackouts, ...own }));
}
