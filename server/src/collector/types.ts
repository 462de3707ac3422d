// What the collector is given and what its parts pass to each other.

import type { StatementLedger } from '../estate/connections/statement-ledger.ts';
import type { ServerSettings } from '../estate/connections/targets.service.ts';
import type { SettingsInForce } from '../estate/probe-configs/effective.service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import type { StatementParser } from '../kernel/parser/parser.ts';
import type { HostReading, HostWish } from '../probes/hosts/collect.ts';
import type { HostInput } from '../probes/hosts/types.ts';
import type { Probe } from '../probes/types.ts';
import type { MetricsWriter } from '../store/write/writer.ts';
import type { ConnectGate, Semaphore, ServerSessions } from './gates.ts';
import type { LineReader } from './logs/line-keeper.ts';
import type { StoredPlans } from './plans/stored-plans.ts';
import type { Scrubber } from './scrub.ts';
import type { StatementTexts } from './statement-texts.ts';

/** Where a monitored server is and how to sign in, as its connection says at that revision. */
export interface CollectorTarget {
  readonly connection_id: number;
  readonly revision: number;
  readonly settings: ServerSettings;
  readonly node_exporter_url: string | null;
}

/** What is known of a server when reading it begins. */
export interface CollectorLease {
  readonly target: CollectorTarget;
  readonly epoch: number;
  readonly settings: SettingsInForce;
  /** Nothing was read of it for a while, or ever. */
  readonly isNew: boolean;
}

/** Opens connections for the collector; one whose secret does not open has no settings, and `problem` says why. */
export interface TargetSource {
  load(connectionIds: readonly number[]): Promise<readonly LoadedTarget[]>;
}

export type LoadedTarget = Omit<CollectorTarget, 'settings'> & {
  readonly settings: ServerSettings | undefined;
  readonly problem: string | undefined;
};

export interface CollectorConfig {
  connect_timeout_seconds: number;
  connects_per_second: number;
  concurrency: number;
  /** Most of one core of a monitored server that collecting from it may take. */
  budget_percent: number;
  /** Whether logs of servers are read. */
  read_logs?: boolean;
  /** Parameters whose values are masked on top of those that look like secrets. */
  masked_parameters: readonly string[];
}

/** Gathers host facts; where they come from is stored as the probe of that name. */
export interface HostCollector {
  readonly probe: string;
  readonly interval_seconds: number;
  collect(input: HostInput, wish: HostWish): Promise<HostReading>;
}

/** What all servers of one collector share. */
export interface Shared {
  readonly probes: readonly Probe[];
  readonly hosts: HostCollector | null;
  readonly writer: MetricsWriter;
  /** Where what is read of logs is stored; null: none is read. */
  readonly logs: Db | null;
  /** Counts lines of logs. */
  readonly readLog: LineReader;
  /** Where plans of statements are kept. */
  readonly plans: Db;
  /** Counts plans that extensions count the runs of. */
  readonly storedPlans: StoredPlans;
  readonly texts: StatementTexts;
  readonly scrubber: Scrubber;
  readonly parser: StatementParser;
  readonly ledger: StatementLedger;
  readonly budget: { readonly budgetPercent: number; readonly windowMs?: number };
  readonly clock: Clock;
  readonly log: Log;
  readonly connectTimeoutMs: number;
  readonly connects: ConnectGate;
  /** Servers read at the same moment. */
  readonly semaphore: Semaphore;
  /**
   * Servers that are due at the same moment are read one after the other: a server's response time is not the time in which
   * the answers of others were read.
   */
  readonly turns: Semaphore;
  readonly sessions: ServerSessions;
}
