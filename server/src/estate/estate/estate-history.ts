// What the estate shows of many servers at once, in two statements however many there are: a strip of hours with their
// active sessions, and the newest values of what matters most (estate-tiles.ts). Guards: nothing is read but rollups, newest
// runs and the samples of the last quarter of an hour, so that it costs the same however much is kept.
import type { Db } from '../../kernel/db.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Condition } from '../../probes/metric-types.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import { probe as activity } from '../../probes/pg-stat-activity.ts';
import { probe as databases } from '../../probes/pg-stat-database.ts';
import { probe as replication } from '../../probes/pg-stat-replication.ts';
import { probe as processors } from '../../probes/pg-sys-cpu-info.ts';
import { probe as disk } from '../../probes/pg-sys-disk-info.ts';
import { longestIntervalSeconds, type Probe } from '../../probes/types.ts';
import {
  answered,
  askedOf,
  elementsOf,
  type FoundBefore,
  HOURS,
  hoursOfSessions,
  type Inquiry,
  type MetricSeries,
  type More,
  newestSessions,
  readBeside,
  type StoredRow,
} from '../../store/read/doors/buckets.ts';
import { readAnswering } from '../../store/read/doors/runs.ts';
import {
  demand,
  type EstateTiles,
  Facts,
  hourOf,
  type Run,
  type SessionsHour,
  silentTiles,
  tilesOf,
} from './estate-tiles.ts';
import { connectionLimits, newestRunsFor, sessionsCounted } from './tiles.queries.ts';

export type { EstateTiles, SessionsHour };

export interface EstateHistoryQuery {
  connection_ids: readonly number[];
  /** Milliseconds since the epoch. */
  now: number;
}

export interface EstateHistory {
  /** When the strip begins, a whole hour; milliseconds since the epoch. */
  from: number;
  hours: number;
  /** Until when active sessions are rolled up; null: not at all. */
  measured_until: number | null;
  servers: EstateTiles[];
}

const STRIP_HOURS = 24;
/** Rates are of this time, three intervals of their probe. */
const RATES_MS = 15 * MINUTE_MS;
/** Of the newest minutes, which may come after what is said to be rolled up. */
const LOAD_MS = 5 * MINUTE_MS;

const COMMITS = demand(databases, 'xact_commit_per_sec');
const ROLLBACKS = demand(databases, 'xact_rollback_per_sec');
const HITS = demand(databases, 'cache_hit_ratio');

function conditionsOf(name: string): readonly Condition[] {
  const { value } = demand(activity, name);
  if (value.kind !== 'rows') throw new Error(`${name} counts no rows`);
  return value.where;
}

const COUNTS = ['client_count', 'active_count'].map(conditionsOf);

const PROBES: readonly Probe[] = [sessions, databases, activity, replication, disk, processors];
/** What sources told of the machine. */
const HOST = 'host';
const WITH_ROWS: readonly Probe[] = [replication, disk, processors];

function hoursIn({ t1, t2, t3 }: StoredRow): SessionsHour[] {
  const [begins, covered, spent] = [t1, t2, t3].map((text) => elementsOf(text ?? '{}').map(Number));
  return (begins ?? [])
    .map((at, index) => hourOf(at, covered?.[index] ?? 0, spent?.[index] ?? 0))
    .sort((a, b) => a.at - b.at);
}

function note(facts: Facts, row: StoredRow): void {
  const { t0, t1, t2, t3, t4, t5 } = row;
  if (t0 === 'hours') facts.hours = hoursIn(row);
  else if (t0 === 'load') facts.load = hourOf(Number(t1), Number(t2), Number(t3));
  else if (t0 === 'limit') facts.max = t1 ? Number(t1) : null;
  else if (t0 === 'sessions') [facts.used, facts.active] = [Number(t1), Number(t2)];
  else if (t0 === 'run') {
    const rows: Run['rows'] = t5 ? JSON.parse(t5) : [];
    facts.runs.set(t1 ?? '', { at: t2 ? Number(t2) : null, outcome: t3 ?? '', reason: t4 ?? null, rows });
  }
}

/** What is asked of the rates, with the newest sample of each connection. */
function rates({ connection_ids, now }: EstateHistoryQuery) {
  const window = { from: now - RATES_MS, to: now, buckets: 1 };
  const metrics = [COMMITS, ROLLBACKS, HITS];
  const asked = askedOf({ probe: databases, metrics, connection_ids, aggregate: 'sum', ...window });
  const newestAt = new Map<number, number>();
  const inquiry: Inquiry = {
    questions: asked.questions.all,
    windows: asked.windows,
    heard: (_question, { connection_id, at }) => {
      newestAt.set(connection_id, Math.max(newestAt.get(connection_id) ?? 0, at / 1000));
    },
  };
  return { asked, inquiry, newestAt };
}

function noteRates(facts: Facts, series: readonly MetricSeries[]): void {
  const wholeOf = (wanted: typeof HITS) => series.find(({ metric }) => metric.name === wanted.name)?.whole;
  const [commits, rollbacks] = [wholeOf(COMMITS) ?? null, wholeOf(ROLLBACKS) ?? null];
  facts.per_second = commits === null || rollbacks === null ? null : commits + rollbacks;
  facts.hit_percent = wholeOf(HITS) ?? null;
}

function moreOf({ connection_ids }: EstateHistoryQuery, from: number, until: number | null): More[] {
  const names = (all: readonly Probe[]) => all.map(({ name }) => name);
  return [
    newestRunsFor({
      connection_ids,
      probes: [...names(PROBES), HOST],
      withRows: [...names(WITH_ROWS), HOST],
    }),
    sessionsCounted(connection_ids, COUNTS),
    connectionLimits(connection_ids),
    ...(until !== null
      ? [
          // The hour before the strip tells whether its first one had begun earlier.
          hoursOfSessions({ connection_ids, from: from - HOUR_MS }),
          newestSessions({ connection_ids, from: until - LOAD_MS }),
        ]
      : []),
  ];
}

/** Servers in the order of their ids as asked; of those whose node does not answer only that. */
export async function estateHistory(db: Db, query: EstateHistoryQuery): Promise<EstateHistory> {
  const { connection_ids } = query;
  const read = (ids: readonly number[]) => historyOf(db, { ...query, connection_ids: ids });
  const { value, silent } = await readAnswering(db, connection_ids, read);
  if (silent.length === 0) return value;
  const known = new Map(value.servers.map((tiles) => [tiles.connection_id, tiles]));
  return { ...value, servers: connection_ids.map((id) => known.get(id) ?? silentTiles(id)) };
}

async function historyOf(db: Db, query: EstateHistoryQuery): Promise<EstateHistory> {
  const { connection_ids, now } = query;
  const from = Math.floor(now / HOUR_MS) * HOUR_MS - (STRIP_HOURS - 1) * HOUR_MS;
  const history = { from, hours: STRIP_HOURS };
  if (connection_ids.length === 0) return { ...history, measured_until: null, servers: [] };
  const { asked, inquiry, newestAt } = rates(query);
  const untilOf = (found: FoundBefore) => {
    const filled = found.filledUntil(sessions, 'm1');
    return filled === null ? null : Math.min(filled, now);
  };
  const found = await readBeside(db, {
    ...{ inquiry, connection_ids, probes: PROBES, table: HOURS },
    more: (before) => moreOf(query, from, before.isThere ? untilOf(before) : null),
  });
  const facts = new Map(connection_ids.map((id) => [id, new Facts()]));
  for (const row of found.rows) {
    const own = facts.get(row.connection_id);
    if (own) note(own, row);
  }
  const all = await answered(asked, found.reading, new Map());
  const series = Map.groupBy(all, ({ connection_id }) => connection_id);
  const intervals = new Map(PROBES.map((probe) => [probe, found.intervalsOf(probe)]));
  const servers = [...facts].map(([id, own]) => {
    noteRates(own, series.get(id) ?? []);
    own.ratesAt = newestAt.get(id) ?? null;
    const secondsOf = (probe: Probe) => {
      const paced = { probe: probe.name, intervalSeconds: longestIntervalSeconds(probe) };
      const busyIntervalSeconds = probe.intervalSeconds;
      const known = intervals.get(probe);
      return (
        known?.within({ ...paced, busyIntervalSeconds }, id, { from: now, to: now }) ?? paced.intervalSeconds
      );
    };
    return tilesOf(id, own, { now, secondsOf });
  });
  return { ...history, measured_until: untilOf(found), servers };
}
