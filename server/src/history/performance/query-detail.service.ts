// One statement of a server, from what was collected. Guards: figures are of increases inside the window; all roles and
// databases together are the sum of theirs, and ratios are of the sums; nothing is asked of the server.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { isoRounded } from '../../kernel/times.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { formed } from '../../probes/formula.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { MetricSeries } from '../../store/read/doors/buckets.ts';
import { comparedFrom, windowOf } from '../metrics/metrics.service.ts';
import { demandMetric } from './increases.ts';
import { isOwnStatement } from './own-statements.ts';
import type * as contract from './query-detail.contract.ts';
import { type SeenRow, type StatementWait, statementDetail } from './statement-detail.ts';

type Query = Input<typeof contract.getQueryDetail>['query'];
type Answer = Output<typeof contract.getQueryDetail>;
type Figure = Answer['figures'][number];
type Values = (number | null)[];

const BUCKETS = 60;
/** Sessions are samples of every second: more of them take longer than anybody should wait. */
const WAITS_MS = 6 * 3_600_000;
const MOST_PLACES = 100;

const statements = catalogProbe('pg_stat_statements');
const COUNTERS = [
  'calls',
  'total_exec_time',
  'total_plan_time',
  'rows',
  'shared_blks_hit',
  'shared_blks_read',
  'shared_blks_dirtied',
  'shared_blk_read_time',
  'temp_blks_written',
  'wal_bytes',
];
const METRICS = COUNTERS.map((name) => demandMetric(statements, name));
const RATES = COUNTERS.map((name) => demandMetric(statements, `${name}_per_sec`));
const MEAN = demandMetric(statements, 'mean_time');

const NOT_SAMPLED =
  'No session that ran it was sampled in this time. Where compute_query_id is off on the server, that is unknown.';

/** What is known of several; null where nothing is. */
const sumOf = (values: Values) =>
  values.reduce<number | null>((sum, one) => (one === null ? sum : (sum ?? 0) + one), null);

interface SeriesSums {
  values: Values;
  compared: Values;
  whole: number | null;
  compared_whole: number | null;
}

function together(all: readonly MetricSeries[], buckets: number): SeriesSums {
  const each = (of: (one: MetricSeries) => Values | undefined): Values =>
    Array.from({ length: buckets }, (_none, n) => sumOf(all.map((one) => of(one)?.[n] ?? null)));
  return {
    values: each(({ values }) => values),
    compared: each(({ compared }) => compared),
    whole: sumOf(all.map(({ whole }) => whole)),
    compared_whole: sumOf(all.map(({ compared_whole }) => compared_whole ?? null)),
  };
}

type ByMetric = ReadonlyMap<string, SeriesSums>;

function byMetric(series: readonly MetricSeries[], buckets: number): Map<string, SeriesSums> {
  const own = Map.groupBy(series, ({ metric }) => metric.name);
  return new Map([...own].map(([name, all]) => [name, together(all, buckets)]));
}

/** Milliseconds of an execution. */
function meanOf(known: ByMetric, of: (measured: SeriesSums) => number | null | undefined): number | null {
  const value = (name: string) => {
    const measured = known.get(name);
    return measured && of(measured);
  };
  return formed(MEAN.value, [value('total_exec_time'), value('calls')]);
}

const named = ({ name, unit, description }: Metric) => ({ metric: name, unit, description });

function figuresOf(known: ByMetric): Figure[] {
  const counters = METRICS.map((metric, index): Figure => {
    const [grown, rate] = [known.get(metric.name), known.get(RATES[index]?.name ?? '')];
    return {
      ...named(metric),
      total: grown?.whole ?? null,
      compared_total: grown?.compared_whole ?? null,
      per_second: rate?.whole ?? null,
      compared_per_second: rate?.compared_whole ?? null,
    };
  });
  return [
    ...counters,
    {
      ...named(MEAN),
      total: meanOf(known, ({ whole }) => whole),
      compared_total: meanOf(known, ({ compared_whole }) => compared_whole),
      per_second: null,
      compared_per_second: null,
    },
  ];
}

interface Grid {
  from: number;
  to: number;
  buckets: number;
}

/** Of a bucket of which more is missing, the increase is that of a part of it. */
const WHOLE = 0.98;

/** Without the buckets at the ends of what was measured that were measured in part: they would be drawn as a fall. */
const inWhole = (values: Values, rates: Values, seconds: number): Values =>
  values.map((value, n) => {
    const rate = rates[n] ?? 0;
    const isEnd = ((values[n - 1] ?? null) === null) !== ((values[n + 1] ?? null) === null);
    return isEnd && value !== null && rate > 0 && value < rate * seconds * WHOLE ? null : value;
  });

function seriesOf(known: ByMetric, { from, to, buckets }: Grid): Answer['series'] {
  const seconds = (to - from) / buckets / SECOND_MS;
  const mean = (of: (one: SeriesSums) => Values): Values =>
    Array.from({ length: buckets }, (_none, n) => meanOf(known, (one) => of(one)[n]));
  return [
    ...METRICS.map(({ name }, index) => {
      const [grown, rate] = [known.get(name), known.get(RATES[index]?.name ?? '')];
      const whole = (of: 'values' | 'compared') => inWhole(grown?.[of] ?? [], rate?.[of] ?? [], seconds);
      return { metric: name, values: whole('values'), compared: whole('compared') };
    }),
    { metric: MEAN.name, values: mean(({ values }) => values), compared: mean(({ compared }) => compared) },
  ];
}

const placeKey = (database: unknown, userid: unknown) => JSON.stringify([database, String(userid ?? '')]);
const costOf = ({ figures }: Answer['places'][number]) =>
  figures.find(({ metric }) => metric === 'total_exec_time')?.total ?? 0;

/** Begin of the newest bucket in which it surely ran; undefined where it did not run in the window. */
function ranAt(series: readonly MetricSeries[], { from, to, buckets }: Grid): number | undefined {
  const newest = series
    .filter(({ metric }) => metric.name === 'calls')
    .reduce(
      (most, { values }) =>
        Math.max(
          most,
          values.findLastIndex((value) => (value ?? 0) > 0),
        ),
      -1,
    );
  return newest < 0 ? undefined : from + (newest * (to - from)) / buckets;
}

/** A statement has a row for each level as well, which are one place. */
function placesOf(seen: readonly SeenRow[], series: readonly MetricSeries[], grid: Grid): Answer['places'] {
  const costs = Map.groupBy(series, ({ group }) => placeKey(group.database_name, group.userid));
  const own = Map.groupBy(seen, (row) => placeKey(row.database_name, row.userid));
  const places = [...own].flatMap(([key, rows]) => {
    const [row] = rows;
    if (!row) return [];
    return [
      {
        database_name: row.database_name,
        userid: row.userid,
        username: row.username,
        ...timesOf(rows, ranAt(costs.get(key) ?? [], grid)),
        figures: figuresOf(byMetric(costs.get(key) ?? [], 1)),
      },
    ];
  });
  return places.sort((a, b) => costOf(b) - costOf(a)).slice(0, MOST_PLACES);
}

/** What is stored of when it was last seen may be a day old: that it ran later is known of the window. */
function timesOf(rows: readonly SeenRow[], ran: number | undefined) {
  const first = rows.map((row) => row.first_seen).sort();
  const last = [...rows.map((row) => row.last_seen), ...(ran === undefined ? [] : [isoRounded(ran)])].sort();
  return { first_seen: first[0] ?? '', last_seen: last.at(-1) ?? '' };
}

function waitsOf(waits: readonly StatementWait[], window: { from: number; to: number }): Answer['waits'] {
  const all = waits.reduce((sum, { session_seconds }) => sum + session_seconds, 0);
  return {
    start_time: isoRounded(window.from),
    end_time: isoRounded(window.to),
    events: waits.map((one) => ({ ...one, percent: (100 * one.session_seconds) / all })),
    reason: waits.length === 0 ? NOT_SAMPLED : null,
  };
}

export async function getQueryDetail(
  { db, clock }: Ctx,
  of: { id: number; queryid: string },
  query: Query,
): Promise<Answer> {
  const { id: connection_id, queryid } = of;
  const window = windowOf(query, { now: clock.now(), fallback: '1h' });
  const { from, to } = window;
  const { buckets = BUCKETS, compare = 'previous' } = query;
  const compare_from = comparedFrom(window, compare);
  const waits_from = Math.max(from, to - WAITS_MS);
  const { seen, series, waits } = await statementDetail(db, {
    connection_id,
    queryid,
    metrics: [...METRICS, ...RATES],
    ...{ from, to, buckets, compare_from, waits_from },
  });
  if (seen.length === 0)
    throw new Fault('not_found', `No statement with the queryid ${queryid} was ever seen on this server.`);
  const known = byMetric(series, buckets);
  const text = seen[0]?.query_text ?? null;
  return {
    connection_id,
    queryid,
    query: text,
    is_own: text === null ? null : isOwnStatement(text),
    ...timesOf(seen, ranAt(series, { from, to, buckets })),
    start_time: isoRounded(from),
    end_time: isoRounded(to),
    compared_start_time: isoRounded(compare_from),
    bucket_seconds: (to - from) / buckets / SECOND_MS,
    figures: figuresOf(known),
    series: seriesOf(known, { from, to, buckets }),
    places: placesOf(seen, series, { from, to, buckets }),
    waits: waitsOf(waits, { from: waits_from, to }),
  };
}
