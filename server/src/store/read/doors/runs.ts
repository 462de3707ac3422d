// What became of each probe's newest run on many connections: its outcome and how often it runs, when it was, whether it still says what
// is so now, and which databases it found. One statement each. For whoever has to tell what was read and is of now from what was
// not, and why, also where a node of the datastore is away: what the others hold is read all the same. Guards: an error that is not of a
// node is thrown as it is; who reads learns of which connections nothing could be read.
import { type Db, NodeAway } from '../../../kernel/db.ts';
import { sql } from '../../../kernel/sql.ts';
import type { Cause } from '../../../probes/causes.ts';
import { longestIntervalSeconds, type Probe } from '../../../probes/types.ts';
import { engineOf } from '../../layout/engine/open.ts';
import { isCurrent, readIntervals } from '../../layout/intervals.ts';
import { type NewestRun, newestRunsOf } from '../newest.queries.ts';
import { newestRun } from './relations.ts';

export interface RunOutcome {
  connection_id: number;
  probe: string;
  /** '': the server as a whole. */
  database_name: string;
  outcome: 'ran' | 'skipped' | 'failed';
  cause: Cause | null;
  reason: string | null;
  mend: string | null;
  /** Of its newest rows, in milliseconds since the epoch; null: there never were any. */
  collected_at: number | null;
  row_count: number | null;
  /** As it runs now; null: nobody knows. */
  interval_seconds: number | null;
  /** As it is set. */
  set_seconds: number | null;
  /** Why it runs less often than it is set to. */
  slowed_because: string | null;
}

/** Of these probes on these connections. */
export const runOutcomes = (
  db: Db,
  { connection_ids, probes }: { connection_ids: readonly number[]; probes: readonly string[] },
): Promise<RunOutcome[]> =>
  db.rows<RunOutcome>(sql`
    /* store.run_outcomes */
    select
      s.connection_id, s.probe, s.database_name, s.outcome, s.cause, s.reason, s.mend,
      (extract(epoch from s.collected_at) * 1000)::double precision as collected_at, s.row_count,
      greatest(e.interval_seconds, c.interval_seconds)::double precision as interval_seconds,
      e.interval_seconds::double precision as set_seconds, c.note as slowed_because
    from metrics.current_snapshots s
    left join matriarch.effective_probe_settings e
      on e.connection_id = s.connection_id and e.probe_name = s.probe
    left join matriarch.probe_costs c on c.connection_id = s.connection_id and c.probe = s.probe
    where s.connection_id = any (${connection_ids}::integer[]) and s.probe = any (${probes}::text[])
    order by s.connection_id, s.probe, s.database_name`);

/** When each database of these connections was collected last by a probe. */
export const newestRunTimes = (
  db: Db,
  of: { probe: string; connection_ids: readonly number[] },
): Promise<NewestRun[]> => db.rows<NewestRun>(newestRunsOf(of));

export interface RunTime {
  connection_id: number;
  probe: string;
  database_name: string;
  /** Milliseconds since the epoch. */
  at: number | null;
}

/** When each probe and database of these connections was collected last, where it can be. */
export const runTimes = (db: Db, connection_ids: readonly number[]): Promise<RunTime[]> =>
  db.rows<RunTime>(sql`
    /* store.newest_times */
    select
      s.connection_id, s.probe, s.database_name,
      (extract(epoch from s.collected_at) * 1000)::double precision as at
    from metrics.current_snapshots s
    where s.connection_id = any (${connection_ids}::integer[])
      and s.outcome <> 'skipped'
    order by s.connection_id, s.probe, s.database_name`);

export interface KnownDatabases {
  connection_id: number;
  /** Milliseconds since the epoch. */
  at: number;
  names: readonly string[];
}

/** Which databases servers had when that was read last, of those connections of which it was ever read. */
export const newestDatabases = (db: Db, connection_ids: readonly number[]): Promise<KnownDatabases[]> =>
  db.rows<KnownDatabases>(sql`/* store.newest_databases */
    select
      s.connection_id,
      (extract(epoch from s.collected_at) * 1000)::float8 as at,
      coalesce((select array_agg(x.one ->> 'datname') from jsonb_array_elements(s.rows) as x (one)), '{}') as names
    from ${newestRun('pg_database')} s
    where s.connection_id = any (${connection_ids}::int[]) and s.collected_at is not null`);

export interface Sampled {
  probe: Probe;
  connection_id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export type Freshness = (sample: Sampled) => boolean;

/** Whether a sample still says what is so now, by the gap rule, with the interval that its probe has on its connection; as of `now`, in milliseconds since the epoch. */
export async function readFreshness(db: Db, now: number): Promise<Freshness> {
  const intervals = await readIntervals(db);
  return ({ probe, connection_id, at }) => {
    const pace = {
      probe: probe.name,
      intervalSeconds: longestIntervalSeconds(probe),
      busyIntervalSeconds: probe.intervalSeconds,
    };
    return isCurrent(at, now, intervals.within(pace, connection_id, { from: now, to: now }));
  };
}

export interface Answering<T> {
  value: T;
  /** Of which nothing was read, since their node does not answer. */
  silent: readonly number[];
}

export const NODE_SILENT = 'The node of the datastore that keeps the metrics of this server does not answer.';

/** Connections whose samples are on a node that does not answer now. */
export const silentNow = (db: Db, connection_ids: readonly number[]): Promise<number[]> =>
  engineOf(db).silent(db, connection_ids);

/** The same, where an error said so; throws the error that brought us here if all of them do. */
export async function silentAfter(
  db: Db,
  connection_ids: readonly number[],
  error: unknown,
): Promise<readonly number[]> {
  if (!(error instanceof NodeAway)) throw error;
  const silent = await silentNow(db, connection_ids);
  if (silent.length === 0) throw error;
  return silent;
}

/** Of all of them, or of those whose nodes answer. */
export async function readAnswering<T>(
  db: Db,
  connection_ids: readonly number[],
  read: (connection_ids: readonly number[]) => Promise<T>,
): Promise<Answering<T>> {
  try {
    return { value: await read(connection_ids), silent: [] };
  } catch (error) {
    const silent = await silentAfter(db, connection_ids, error);
    const rest = new Set(connection_ids).difference(new Set(silent));
    return { value: await read([...rest]), silent };
  }
}

/** How large the datastore's database is, on every server that keeps a part of it: bytes, with everything in it. */
export const databaseSize = (db: Db): Promise<number> => engineOf(db).databaseSize(db);

/** Why work on many servers has left some out. */
export const partly = (servers: number): string =>
  `Of ${servers} ${servers === 1 ? 'server' : 'servers'} they are not: the node of the datastore that keeps their metrics does not answer.`;
