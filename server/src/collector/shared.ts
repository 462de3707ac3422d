// What a collector is started with, and what all of its servers share, made of it.

import { StatementLedger } from '../estate/connections/statement-ledger.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import { StatementParser } from '../kernel/parser/parser.ts';
import { turnsWaiting } from '../kernel/scheduler.ts';
import type { Secret } from '../kernel/secret.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { collectHost, HOST_INTERVAL_SECONDS, HOST_PROBE } from '../probes/hosts/collect.ts';
import type { Probe } from '../probes/types.ts';
import type { SpoolHome } from '../store/spool/home.ts';
import type { MetricsWriter } from '../store/write/writer.ts';
import { ConnectGate, Semaphore, ServerSessions } from './gates.ts';
import { LineKeeper, type LineSettings } from './logs/line-keeper.ts';
import { StoredPlans } from './plans/stored-plans.ts';
import { Scrubber } from './scrub.ts';
import { StatementTexts } from './statement-texts.ts';
import type { CollectorConfig, HostCollector, Shared, TargetSource } from './types.ts';

export interface CollectorOptions {
  db: Database;
  clock: Clock;
  log: Log;
  config: CollectorConfig;
  /** The datastore, for hints. */
  url: Secret;
  targets: TargetSource;
  /** Instead of the sources of this house; null for none. */
  hosts?: HostCollector | null;
  /** Where what was collected lies until the datastore has it, or the sentence that says why there is none. */
  spool?: SpoolHome | string;
  /** Instead of the catalog. */
  probes?: readonly Probe[];
  /** How often costs and statements are written down; a minute when absent. */
  writeDownMs?: number;
  /** A read that takes longer no longer keeps the next one waiting; 25 ms when absent, and less when many wait. */
  turnMs?: number;
  /** How long texts of statements wait for the datastore; a second when absent. */
  textsMs?: number;
  /** What is kept of lines of logs; none when absent. */
  lines?: LineSettings;
  /** Over which the load on a server is judged; five minutes when absent. */
  budgetWindowMs?: number;
}

/** A tick that takes longer passes its permit on, so that slow servers hold up others for at most so long. */
const PERMIT_MS = 1000;

const SLICE_MS = 25;
/** What those that wait share: of a thousand servers that all take longer than their turns, each waits half a second. */
const SHARED_MS = 500;
/** For so long a turn is not given on while our own work keeps it: whoever came next would only wait with the others. */
const OURS_MS = 250;
/** Texts of statements wait while a server waits longer than this for its turn. */
const LONG_WAIT_MS = 1000;
const sliceOf = (waiting: number): number => Math.min(SLICE_MS, SHARED_MS / Math.max(1, waiting));

const HOSTS: HostCollector = {
  probe: HOST_PROBE,
  interval_seconds: HOST_INTERVAL_SECONDS,
  collect: collectHost,
};

export function sharedOf(
  options: CollectorOptions,
  { clock, writer }: { clock: Clock; writer: MetricsWriter },
): Shared {
  const { db, log, config, hosts = HOSTS, probes = catalog, textsMs } = options;
  const scrubber = new Scrubber(config.masked_parameters);
  const turns = new Semaphore(
    1,
    options.turnMs ?? sliceOf,
    (keptMs) => keptMs < OURS_MS && turnsWaiting() > 0,
  );
  return {
    probes,
    hosts,
    writer,
    logs: config.read_logs ? db : null,
    readLog: new LineKeeper(options.lines).read,
    plans: db,
    storedPlans: new StoredPlans({ db, clock, log, ...(textsMs !== undefined && { datastoreMs: textsMs }) }),
    texts: new StatementTexts({
      db,
      clock,
      log,
      scrubber,
      ...(textsMs !== undefined && { datastoreMs: textsMs }),
      isBusy: () => turns.longestWaitMs > LONG_WAIT_MS,
    }),
    scrubber,
    parser: new StatementParser(),
    ledger: new StatementLedger(),
    budget: {
      budgetPercent: config.budget_percent,
      ...(options.budgetWindowMs !== undefined && { windowMs: options.budgetWindowMs }),
    },
    clock,
    log,
    connectTimeoutMs: config.connect_timeout_seconds * 1000,
    connects: new ConnectGate({
      perSecond: config.connects_per_second,
      clock,
      isCrowded: () => writer.isCrowded,
    }),
    semaphore: new Semaphore(config.concurrency, PERMIT_MS, () => turnsWaiting() > 0 || writer.isCrowded),
    turns,
    sessions: new ServerSessions(),
  };
}
