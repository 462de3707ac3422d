// Detection in the background: a round every ten seconds in one of the processes, sooner on a hint. Guards: a datastore
// that is away stops nothing; whoever has the lease and dies is replaced at once, and whoever freezes when its
// lease has run out.
import { randomUUID } from 'node:crypto';
import { sleep } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { listenForHints } from '../../kernel/hints.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { startRounds } from '../../kernel/rounds.ts';
import type { Secret } from '../../kernel/secret.ts';
import { detectIfDue } from './topology.service.ts';

export interface TopologyOptions {
  db: Database;
  log: Log;
  /** The datastore, for hints. */
  url: Secret;
  /** Ten seconds when absent. */
  everyMs?: number;
  /** The collector of this process: whose lease it has is free at once when that dies. */
  owner?: string;
}

const EVERY_MS = 10_000;
/** Hints in a row are answered by one round. */
const GAP_MS = 1000;
/** A round counts as due a little early, since the last one ended after its time. */
const SLACK = 0.9;
const CHANNELS = ['matriarch_connections', 'matriarch_topology'];

export function startTopology(options: TopologyOptions): Part {
  const { db, log, url, everyMs = EVERY_MS, owner = randomUUID() } = options;
  const gapMs = Math.min(GAP_MS, everyMs);
  let hinted = true;
  const last = {};
  const poke = () => {
    hinted = true;
    rounds.wake();
  };
  const hints = listenForHints({ url, channels: CHANNELS, onHint: poke });
  const rounds = startRounds({
    name: 'topology',
    pauseMs: everyMs - gapMs,
    onFailure: (error) => log.warn({ event: 'topology.failed', err: error }),
    begin: (signal) => ({
      round: async () => {
        const every_seconds = (hinted ? gapMs : everyMs) / 1000;
        hinted = false;
        await detectIfDue({ db, log, owner, every_seconds: every_seconds * SLACK, last }).finally(() =>
          sleep(gapMs, signal),
        );
      },
    }),
  });
  return {
    name: 'topology',
    stop: async () => {
      await Promise.all([rounds.stop(), hints.stop()]);
    },
  };
}
