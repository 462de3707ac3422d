// What is known of many servers, as checks read it, from the store. Guards: each probe is read once for all of them; a row that is
// too old to be of now is left out and said, so that nothing of yesterday is judged as if it were so today.
import type { Known, Reading } from '../../findings/facts.ts';
import type { Trouble } from '../../findings/judge.ts';
import type { Check } from '../../findings/types.ts';
import type { Db } from '../../kernel/db.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { longestIntervalSeconds, type Probe } from '../../probes/types.ts';
import { isCurrent } from '../../store/layout/gap-rule.ts';
import { newestReadings } from '../../store/read/newest-readings.ts';
import { type RunOutcome, runOutcomes } from '../../store/read/run-outcomes.ts';

export interface KnownServer {
  known: Known;
  /** By probe. */
  troubles: ReadonlyMap<string, readonly Trouble[]>;
}

interface Wanted {
  probe: Probe;
  columns: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** What every check wants to know, whether it says so or not. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  pg_server_info: ['server_version_num', 'is_in_recovery', 'system_identifier'],
  pg_stat_database: ['datname', 'stats_reset'],
  pg_stat_wal: ['stats_reset', 'archiver_stats_reset'],
  pg_stat_checkpointer: ['stats_reset', 'bgwriter_stats_reset'],
};

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

const placeOf = (connection_id: number, database_name: string) => `${connection_id}\n${database_name}`;

function put<T>(lists: Map<number, T[]>, id: number, one: T): void {
  const list = lists.get(id);
  if (list) list.push(one);
  else lists.set(id, [one]);
}

function troubleOf(run: RunOutcome, at: Pick<Wanted, 'probe' | 'now'>): Trouble | undefined {
  const { database_name, outcome, cause, reason, mend, collected_at } = run;
  const interval = Math.max(run.interval_seconds ?? 0, longestIntervalSeconds(at.probe));
  if (collected_at !== null && isCurrent(collected_at, at.now, interval) && outcome !== 'skipped')
    return undefined;
  const isNotApplicable = cause === 'not_applicable';
  if (outcome !== 'ran')
    return { database_name, because: reason ?? 'It could not be collected.', mend, isNotApplicable };
  const since = collected_at === null ? '' : ` since ${new Date(collected_at).toISOString().slice(0, 16)}Z`;
  return { database_name, because: `Nothing new was collected${since}.`, mend: null, isNotApplicable };
}

interface OfProbe {
  readings: Map<number, Reading[]>;
  troubles: Map<number, Trouble[]>;
}

async function readProbe(
  db: Db,
  { probe, columns, now }: Wanted,
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
  const { names, found } = await newestReadings(db, { probe, columns, connection_ids });
  const places = new Map(names.map((name, place) => [name, place]));
  const rows = new Map(found.map((one) => [placeOf(one.connection_id, one.database_name), one.rows]));
  for (const { connection_id, database_name, collected_at } of current)
    put(readings, connection_id, {
      database_name,
      collected_at: collected_at ?? now,
      rows: [],
      listed: { places, rows: rows.get(placeOf(connection_id, database_name)) ?? [] },
    });
  return { readings, troubles };
}

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
  const names = [...wanted.keys()].map(({ name }) => name);
  const runs = Map.groupBy(await runOutcomes(db, { connection_ids, probes: names }), ({ probe }) => probe);
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
      { known: { now, readings: readings.get(id) ?? new Map() }, troubles: troubles.get(id) ?? new Map() },
    ]),
  );
}
