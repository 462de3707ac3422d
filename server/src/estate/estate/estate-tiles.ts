// What was read of a server becomes the tiles of the estate. Pure. Guards: each says of when it is, or why it is not known;
// what is older than its probe's gap is unknown; formulas are those that the metrics declare.

import { type MachineRun, processorsOf } from '../../history/history.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { ofRow } from '../../probes/formula.ts';
import { type Metric, metricOf } from '../../probes/metrics.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import { probe as activity } from '../../probes/pg-stat-activity.ts';
import { probe as databases } from '../../probes/pg-stat-database.ts';
import { probe as replication } from '../../probes/pg-stat-replication.ts';
import { probe as disk } from '../../probes/pg-sys-disk-info.ts';
import { longestIntervalSeconds, type Probe } from '../../probes/types.ts';
import { isCurrent } from '../../store/layout/intervals.ts';
import { NODE_SILENT } from '../../store/read/doors/runs.ts';

/** Of when a value is, and why it is not known; one of the two at least is there. */
export interface TileSource {
  at: string | null;
  reason: string | null;
}

/** An hour in which something was read; milliseconds since the epoch at which it begins. */
export interface SessionsHour {
  at: number;
  covered_seconds: number;
  /** Average active sessions. */
  load: number | null;
}

export interface EstateTiles {
  connection_id: number;
  /** Hours of the strip and the one before it, in order; those in which nothing was read are left out. */
  hours: SessionsHour[];
  /** Active sessions are read more rarely than an hour's rollup can tell of. */
  isRare: boolean;
  /** They are not read at all, since that is switched off or cannot be. */
  isSkipped: boolean;
  /** Processors may be a part of one. */
  load: TileSource & { sessions: number | null; processors: number | null };
  transactions: TileSource & { per_second: number | null };
  cache: TileSource & { hit_percent: number | null };
  lag: TileSource & { seconds: number | null; bytes: number | null };
  connections: TileSource & { used: number | null; active: number | null; max: number | null };
  disk: TileSource & {
    used_percent: number | null;
    used_bytes: number | null;
    total_bytes: number | null;
    mount_point: string | null;
  };
}

/** Rollups of active sessions come every ten minutes; older than this they say nothing of now. */
const LATE_MS = 60 * MINUTE_MS;

const NOT_YET = 'Not collected yet.';
const STALE = 'No newer sample has come for two and a half intervals.';
const ONE_SAMPLE = 'There are no two samples of the last 15 minutes to compare.';
const FEW_BLOCKS = 'Too few blocks were wanted in the last 15 minutes to say.';
const NO_REPLICATION = 'The server is no standby, and no standby is connected to it.';
const NO_LAG = 'The lag is not known yet.';
const NO_DISK = 'The size of no volume is known.';
const NOT_ROLLED_UP = 'Active sessions of the last minutes are not rolled up yet.';

export function demand(probe: Probe, name: string): Metric {
  const metric = metricOf(probe, name);
  if (!metric) throw new Error(`${probe.name} has no metric ${name}`);
  return metric;
}

const DISK = demand(disk, 'used_percent');

/** The newest run of a probe. */
export interface Run {
  at: number | null;
  outcome: string;
  reason: string | null;
  rows: Readonly<Record<string, unknown>>[];
}

/** What was read of a connection. */
export class Facts {
  readonly runs = new Map<string, Run>();
  hours: SessionsHour[] = [];
  load: SessionsHour | undefined;
  used = 0;
  active = 0;
  max: number | null = null;
  /** Transactions a second, and the share of blocks that were found in shared buffers. */
  per_second: number | null = null;
  hit_percent: number | null = null;
  /** Of the newest sample that these are of. */
  ratesAt: number | null = null;
}

export const hourOf = (at: number, covered_seconds: number, spent: number): SessionsHour => ({
  at,
  covered_seconds,
  load: covered_seconds > 0 ? spent / covered_seconds : null,
});

/** By which a value is judged. */
export interface Judging {
  /** Milliseconds since the epoch. */
  now: number;
  /** How often a probe runs on this connection. */
  secondsOf(probe: Probe): number;
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** Why the newest run of a probe says nothing of now; null: it does. */
function why({ runs }: Facts, probe: Probe, { now, secondsOf }: Judging): string | null {
  const run = runs.get(probe.name);
  if (!run) return NOT_YET;
  const failed = run.outcome === 'ran' ? null : run.reason;
  if (run.at === null) return failed ?? NOT_YET;
  return isCurrent(run.at, now, secondsOf(probe)) ? null : (failed ?? STALE);
}

const atOf = ({ runs }: Facts, probe: Probe) => iso(runs.get(probe.name)?.at ?? null);

/** Null where it is not known: numbers beyond 2^53 come as text. */
function numberIn(row: Readonly<Record<string, unknown>> | undefined, name: string): number | null {
  const cell = row?.[name] ?? null;
  return cell === null ? null : Number(cell);
}

const worst = (values: readonly (number | null)[]) =>
  values.reduce<number | null>((most, one) => (one === null ? most : Math.max(most ?? one, one)), null);

function loadOf(facts: Facts, judging: Judging): EstateTiles['load'] {
  const { load } = facts;
  const machine = [...facts.runs].map(([name, { at, rows, reason }]): MachineRun => {
    return { part: 'run', name, at, key: { rows, reason } };
  });
  const end = load ? Math.min(load.at + MINUTE_MS, judging.now) : null;
  const isKnown = load?.load != null && end !== null && judging.now - end <= LATE_MS;
  const processors = processorsOf(machine).count;
  if (isKnown) return { sessions: load.load, processors, at: iso(end), reason: null };
  // A server that was just added has sessions at once, and rollups after a quarter of an hour.
  if (why(facts, activity, judging) === null)
    return { sessions: facts.active, processors, at: atOf(facts, activity), reason: null };
  return { sessions: null, processors, at: iso(end), reason: why(facts, sessions, judging) ?? NOT_ROLLED_UP };
}

function ratesOf(facts: Facts, judging: Judging): Pick<EstateTiles, 'transactions' | 'cache'> {
  const { per_second, hit_percent, ratesAt } = facts;
  const at = ratesAt === null ? atOf(facts, databases) : iso(ratesAt);
  const reason = per_second === null ? (why(facts, databases, judging) ?? ONE_SAMPLE) : null;
  return {
    transactions: { per_second, at, reason },
    cache: { hit_percent, at, reason: hit_percent === null ? (reason ?? FEW_BLOCKS) : null },
  };
}

function lagOf(facts: Facts, judging: Judging): EstateTiles['lag'] {
  const at = atOf(facts, replication);
  const rows = facts.runs.get(replication.name)?.rows ?? [];
  const unknown = why(facts, replication, judging);
  if (unknown !== null || rows.length === 0)
    return { seconds: null, bytes: null, at, reason: unknown ?? NO_REPLICATION };
  const seconds = worst(rows.map((row) => numberIn(row, 'replay_lag')));
  const bytes = worst(rows.map((row) => numberIn(row, 'lag_bytes')));
  return { seconds, bytes, at, reason: seconds === null && bytes === null ? NO_LAG : null };
}

function connectionsOf(facts: Facts, judging: Judging): EstateTiles['connections'] {
  const { used, active, max } = facts;
  const [at, reason] = [atOf(facts, activity), why(facts, activity, judging)];
  return reason === null ? { used, active, max, at, reason } : { used: null, active: null, max, at, reason };
}

/** Of the fullest volume. */
function diskOf(facts: Facts, judging: Judging): EstateTiles['disk'] {
  const { at = null, rows = [] } = facts.runs.get(disk.name) ?? {};
  const unknown = why(facts, disk, judging);
  const volumes =
    unknown !== null
      ? []
      : rows.flatMap((row) => {
          const percent = ofRow(DISK.value, (name) => row[name], at ?? 0) ?? null;
          return percent === null ? [] : [{ row, percent }];
        });
  const [fullest] = volumes.sort((a, b) => b.percent - a.percent);
  const mount = fullest?.row.mount_point;
  return {
    used_percent: fullest?.percent ?? null,
    used_bytes: numberIn(fullest?.row, 'used_space'),
    total_bytes: numberIn(fullest?.row, 'total_space'),
    mount_point: typeof mount === 'string' ? mount : null,
    at: iso(at),
    reason: fullest ? null : (unknown ?? NO_DISK),
  };
}

export function tilesOf(connection_id: number, facts: Facts, judging: Judging): EstateTiles {
  return {
    connection_id,
    hours: facts.hours,
    isRare: judging.secondsOf(sessions) > longestIntervalSeconds(sessions),
    isSkipped: facts.runs.get(sessions.name)?.outcome === 'skipped',
    load: loadOf(facts, judging),
    ...ratesOf(facts, judging),
    lag: lagOf(facts, judging),
    connections: connectionsOf(facts, judging),
    disk: diskOf(facts, judging),
  };
}

/** Of a server whose samples cannot be read now. */
export function silentTiles(connection_id: number): EstateTiles {
  const none = { at: null, reason: NODE_SILENT };
  return {
    connection_id,
    hours: [],
    isRare: false,
    isSkipped: false,
    load: { sessions: null, processors: null, ...none },
    transactions: { per_second: null, ...none },
    cache: { hit_percent: null, ...none },
    lag: { seconds: null, bytes: null, ...none },
    connections: { used: null, active: null, max: null, ...none },
    disk: { used_percent: null, used_bytes: null, total_bytes: null, mount_point: null, ...none },
  };
}
