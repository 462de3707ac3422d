// What of the wing alerting works in the background, as the role alerter: blackouts made from their schedules, samples judged, and
// notifications delivered. They meet in the datastore alone.
import type { Vault } from '../identity/identity.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import type { Parts } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { PartStates } from '../kernel/part-states.ts';
import type { Secret } from '../kernel/secret.ts';
import { startAlerter } from './alerter/alerter.ts';
import { startBlackoutTicks } from './alerter/blackout-ticks.ts';
import { type HeartbeatSettings, startHeartbeat } from './alerter/heartbeat-calls.ts';
import { startSelfWatch } from './alerter/self-watch.ts';
import { type ChannelSettings, senderFrom } from './channels/from-settings.ts';
import { type DeliveryOptions, startDelivery } from './notification-channels/delivery.ts';

export interface AlertingOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** The datastore, for hints. */
  url: Secret;
  /** The collector of this process: whose leases it has are free at once when that dies. */
  owner: string | undefined;
  lifecycle: Parts;
  /** Opens the secrets of channels. */
  vault: Vault;
  channels: ChannelSettings & { group_seconds: number };
  /** Where the web interface is, for links in notifications. */
  base_url: string | undefined;
  /** Calls to a service outside while all goes well. */
  heartbeat: HeartbeatSettings;
  /** How the work of this process does. */
  parts: PartStates;
  /** The mail of a report that is due, as its owner may see it. */
  writeReport: DeliveryOptions['writeReport'];
}

export function startAlerting(options: AlertingOptions): void {
  const { db, log, clock, url, owner, lifecycle, vault, channels, base_url, parts, writeReport } = options;
  const own = owner === undefined ? {} : { owner };
  lifecycle.add(startBlackoutTicks({ db, log, clock, parts, ...own }));
  const { group_seconds } = channels;
  lifecycle.add(startSelfWatch({ db, log, clock, group_seconds, parts }));
  lifecycle.add(startAlerter({ db, log, clock, url, group_seconds, parts, ...own }));
  const sender = lifecycle.add(senderFrom(channels));
  const { heartbeat } = options;
  if (heartbeat.url !== undefined) lifecycle.add(startHeartbeat({ db, log, sender, settings: heartbeat }));
  const random = Math.random;
  const delivery = { vault, sender, base_url, group_seconds, random, writeReport };
  lifecycle.add(startDelivery({ db, log, clock, url, parts, ...delivery }));
}
