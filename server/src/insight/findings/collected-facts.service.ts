// What is known of many servers, as checks read it, from the store. Guards: each probe is read once for all of them; a row that is
// too old to be of now is left out and said, so that nothing of yesterday is judged as if it were so today.

import type { Db } from '../../kernel/db.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { longestIntervalSeconds, type Probe } from '../../probes/types.ts';
import { isCurrent } from '../../store/layout/intervals.ts';
import { type RunOutcome, runOutcomes } from '../../store/read/doors/runs.ts';
import type { CollectedFacts, Reading } from '../checks/facts.ts';
import type { Trouble } from '../checks/judge.ts';
import type { ProbeRun } from '../checks/probe-runs.ts';
import { METHODS, SETTINGS_READ, WAITS_FOR_RESTART } from '../checks/settings-read.ts';
import type { Check } from '../checks/types.ts';
import { newestReadings } from './newest-readings.ts';

export interface KnownServer {
  known: CollectedFacts;
  /** By probe. */
  troubles: ReadonlyMap<string, readonly Trouble[]>;
}

interface ProbeRead {
  probe: Probe;
  columns: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** What every check wants to know, whether it says so or not. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  pg_connectivity: ['clock_ahead_seconds'],
  pg_server_info: ['server_version_num', 'is_in_recovery', 'system_identifier'],
  pg_stat_database: ['datname', 'stats_reset'],
  pg_stat_wal: ['stats_reset', 'archiver_stats_reset'],
  pg_stat_checkpointer: ['stats_reset', 'bgwriter_stats_reset'],
};

/** A few of hundreds of settings. */
const SETTINGS = { keys: [...SETTINGS_READ], prefix: METHODS, flag: WAITS_FOR_RESTART };

/** The columns that these checks read, by probe. */
export function columnsOf(checks: readonly Check[]): Map<Probe, string[]> {
  const wanted = new Map<string, Set<string>>();
  for (const read of [ALWAYS, ...checks.flatMap(({ reads, uses = {} }) => [reads, uses])])
    for (const [name, columns] of Object.entries(read))
      wanted.set(name, new Set([...(wanted.get(name) ?? []), ...(columns ?? [])]));
  return new Map(
    probes.flatMap((probe) => {
      const columns = wanted.get(probe.name);
      return columns ? [[probe, [...columns]] as const] : [];
    }),
  );
}

const BY_NAME: ReadonlyMap<string, Probe> = new Map(probes.map((probe) => [probe.name, probe]));

const placeOf = (connection_id: number, database_name: string) => `${connection_id}\n${database_name}`;

const NO_ROWS = () => [];

function put<T>(lists: Map<number, T[]>, id: number, one: T): void {
  const list = lists.get(id);
  if (list) list.push(one);
  else lists.set(id, [one]);
}

/** Its newest rows are of now. */
function isRead(
  { outcome, collected_at, interval_seconds }: RunOutcome,
  { probe, now }: Pick<ProbeRead, 'probe' | 'now'>,
) {
  const interval = Math.max(interval_seconds ?? 0, longestIntervalSeconds(probe));
  return collected_at !== null && isCurrent(collected_at, now, interval) && outcome !== 'skipped';
}

/** Nothing is said of probes that are not ours any more. */
function runsOf(outcomes: readonly RunOutcome[], now: number): ProbeRun[] {
  return outcomes.flatMap((run) => {
    const probe = BY_NAME.get(run.probe);
    if (!probe) return [];
    const { database_name, outcome, cause, reason, mend, collected_at } = run;
    return {
      ...{ probe: run.probe, database_name, outcome, cause, reason, mend, collected_at },
      isCurrent: isRead(run, { probe, now }),
      interval: run.interval_seconds,
      intervalSet: run.set_seconds,
      slowedBecause: run.slowed_because,
    };
  });
}

function troubleOf(run: RunOutcome, at: Pick<ProbeRead, 'probe' | 'now'>): Trouble | undefined {
  const { database_name, outcome, cause, reason, mend, collected_at } = run;
  if (isRead(run, at)) return undefined;
  const isNotApplicable = cause === 'not_applicable';
  if (outcome !== 'ran')
    return { database_name, because: reason ?? 'It could not be collected.', mend, isNotApplicable };
  const since = collected_at === null ? '' : ` since ${shownTime(collected_at)}`;
  return { database_name, because: `Nothing new was collected${since}.`, mend: null, isNotApplicable };
}

interface OfProbe {
  readings: Map<number, Reading[]>;
  troubles: Map<number, Trouble[]>;
}

async function readProbe(
  db: Db,
  { probe, columns, now }: ProbeRead,
  runs: readonly RunOutcome[],
): Promise<OfProbe> {
  const readings = new Map<number, Reading[]>();
  const troubles = new Map<number, Trouble[]>();
  const current: RunOutcome[] = [];
  for (const run of runs) {
    const trouble = troubleOf(run, { probe, now });
    if (trouble) put(troubles, run.connection_id, trouble);
    else current.push(run);
  }
  const connection_ids = [...new Set(current.map(({ connection_id }) => connection_id))];
  if (connection_ids.length === 0) return { readings, troubles };
  const { names, found } = await newestReadings(db, {
    ...{ probe, columns, connection_ids },
    items: probe.name === 'pg_settings' ? SETTINGS : undefined,
  });
  const places = new Map(names.map((name, place) => [name, place]));
  const rows = new Map(found.map((one) => [placeOf(one.connection_id, one.database_name), one.rows]));
  for (const { connection_id, database_name, collected_at } of current)
    put(readings, connection_id, {
      database_name,
      collected_at: collected_at ?? now,
      rows: [],
      listed: { places, rows: rows.get(placeOf(connection_id, database_name)) ?? NO_ROWS },
    });
  return { readings, troubles };
}

/** Of a server of which nothing was ever tried, nothing is known. */
const runsIn = (outcomes: readonly RunOutcome[] | undefined, now: number) =>
  outcomes ? { runs: runsOf(outcomes, now) } : {};

/** By id. Three statements a probe at most, and one. */
export async function readKnown(
  db: Db,
  {
    connection_ids,
    checks,
    now,
  }: { connection_ids: readonly number[]; checks: readonly Check[]; now: number },
): Promise<Map<number, KnownServer>> {
  const wanted = columnsOf(checks);
  const names = checks.some(({ ofRuns }) => ofRuns) ? BY_NAME.keys() : wanted.keys().map(({ name }) => name);
  const outcomes = await runOutcomes(db, { connection_ids, probes: [...names] });
  const runs = Map.groupBy(outcomes, ({ probe }) => probe);
  const byServer = Map.groupBy(outcomes, ({ connection_id }) => connection_id);
  const readings = new Map(connection_ids.map((id) => [id, new Map<string, Reading[]>()]));
  const troubles = new Map(connection_ids.map((id) => [id, new Map<string, Trouble[]>()]));
  for (const [probe, columns] of wanted) {
    const found = await readProbe(db, { probe, columns, now }, runs.get(probe.name) ?? []);
    for (const [id, own] of found.readings) readings.get(id)?.set(probe.name, own);
    for (const [id, own] of found.troubles) troubles.get(id)?.set(probe.name, own);
  }
  return new Map(
    connection_ids.map((id) => [
      id,
      {
        known: { now, readings: readings.get(id) ?? new Map(), ...runsIn(byServer.get(id), now) },
        troubles: troubles.get(id) ?? new Map(),
      },
    ]),
  );
}
