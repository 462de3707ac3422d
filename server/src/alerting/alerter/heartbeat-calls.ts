// The heartbeat: a call to a service outside while all background work succeeds, so that this service notices when it does not, even when
// this program and all of its channels are gone. Guards: nothing is called when it is not known that the work succeeds, which is so when
// the datastore does not answer; no address is in the log, since it is a secret.
import type { Db } from '../../kernel/db.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { areAlertsAlive, failingParts } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Sender } from '../channels/sender.ts';
import { currentHold } from '../notification-channels/holds.service.ts';

export interface HeartbeatSettings {
  url: Secret | undefined;
  fail_url: Secret | undefined;
  interval_seconds: number;
}

export interface HeartbeatOptions {
  db: Db;
  log: Log;
  sender: Sender;
  settings: HeartbeatSettings;
}

/** What to call now; undefined for nothing. */
async function addressNow(db: Db, { url, fail_url }: HeartbeatSettings): Promise<Secret | undefined> {
  // The heartbeat of a copy would hide that the original has ended.
  if (await currentHold(db)) return undefined;
  const failing = await failingParts(db);
  if (failing.length > 0) return fail_url;
  return (await areAlertsAlive(db)) ? url : undefined;
}

export function startHeartbeat({ db, log, sender, settings }: HeartbeatOptions): Part {
  let isWell = true;
  return startRounds({
    name: 'heartbeat',
    pauseMs: settings.interval_seconds * 1000,
    onFailure: (error) => {
      // Once, until it succeeds again.
      if (isWell)
        log.warn({ event: 'heartbeat.failed', reason: error instanceof Error ? error.message : 'unknown' });
      isWell = false;
    },
    begin: () => ({
      round: async () => {
        const address = await addressNow(db, settings);
        if (address === undefined) return;
        await sender.call(address.reveal());
        if (!isWell) log.info({ event: 'heartbeat.succeeded' });
        isWell = true;
      },
    }),
  });
}
