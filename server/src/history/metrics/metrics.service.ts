// Metrics over a window, newest rows and baselines, of connections that the gate has checked. Guards: nothing is read from a
// monitored server; all series of a reply share one grid; what nobody measured is null, and what came after the newest
// sample is left out.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { recentReadings } from '../../kernel/recent-readings.ts';
import { type MetricSeries, metricBuckets } from '../../store/read/doors/buckets.ts';
import { baselines } from './baselines.ts';
import type * as contract from './metrics.contract.ts';
import {
  columnNamed,
  comparedFrom,
  connectionsOf,
  filterOf,
  metricsNamed,
  probeNamed,
  type RequestWindow,
  schemasExcluded,
  windowOf,
} from './request.ts';
import { newestRows } from './rows.ts';

export {
  type Comparison,
  comparedFrom,
  connectionsNamed,
  connectionsOf,
  type NamedWindow,
  type RequestWindow,
  type TimeRange,
  windowBetween,
  windowOf,
} from './request.ts';

type Query = Input<typeof contract.queryMetrics>['query'];
type Answer = Output<typeof contract.queryMetrics>;

const MOST_CONNECTIONS = 100;
const BUCKETS = 150;
const LIMIT = 20;

function pointsOf({ values, compared }: MetricSeries, { from, to }: RequestWindow) {
  const width = (to - from) / values.length;
  const last = values.findLastIndex((value, n) => value !== null || (compared?.[n] ?? null) !== null);
  return values.slice(0, last + 1).map((value, n) => ({
    time: new Date(Math.round(from + n * width)).toISOString(),
    value,
    ...(compared && { compared: compared[n] ?? null }),
  }));
}

export async function queryMetrics(ctx: Ctx, query: Query): Promise<Answer> {
  const connection_ids = connectionsOf(query, MOST_CONNECTIONS);
  const probe = probeNamed(query.probe_name);
  const filter = filterOf(probe, query);
  const { order_by, order = 'desc', limit = LIMIT, compare, aggregation = 'avg' } = query;
  if (order_by !== undefined && order_by !== '') {
    const column = columnNamed(probe, order_by);
    const asked = { probe, connection_ids, filter, exclude: [], order_by: column, order, limit };
    return (await newestRows(ctx, asked)).rows;
  }
  const metrics = metricsNamed(probe, query.metrics);
  const window = windowOf(query, { now: ctx.clock.now(), fallback: '1h' });
  const found = await metricBuckets(ctx.db, {
    probe,
    metrics,
    connection_ids,
    aggregate: aggregation,
    buckets: query.buckets ?? BUCKETS,
    ...window,
    ...filter,
    ...(compare && { compare_from: comparedFrom(window, compare) }),
  });
  return found.map((series) => {
    const { name, unit, description } = series.metric;
    return {
      name: connection_ids.length > 1 ? `${name} (conn ${series.connection_id})` : name,
      metric: name,
      unit,
      description,
      data: pointsOf(series, window),
    };
  });
}

type LatestQuery = Input<typeof contract.getLatestMetrics>['query'];
type Latest = Awaited<ReturnType<typeof newestRows>>;

/** Lists are read in parts, of which each is as dear to read as all of them together. */
const recent = recentReadings<Latest>({ most: 2, keepMs: 300_000 });
/** Longer ones would fill the memory. */
const MOST_KEPT = 10_000;

interface Page {
  limit: number;
  offset: number;
}

function latestRows(ctx: Ctx, query: LatestQuery, page: Page): Promise<Latest> {
  const probe = probeNamed(query.probe_name);
  const { connection_id, database_name, order_by, order = 'desc' } = query;
  return newestRows(ctx, {
    probe,
    connection_ids: [connection_id],
    filter: filterOf(probe, database_name === undefined ? {} : { database_name }),
    exclude: schemasExcluded(query.exclude_schemas),
    search: query.search,
    order_by: order_by ? columnNamed(probe, order_by) : undefined,
    order,
    ...page,
  });
}

/** What its parts are cut from; undefined: they are too many to be kept. */
async function latestReading(ctx: Ctx, query: LatestQuery): Promise<Latest | undefined> {
  const { limit: _limit, offset: _offset, ...of } = query;
  const kept = recent.of(ctx.db);
  const name = JSON.stringify(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
  const now = ctx.clock.now();
  const before = kept.get(name, now);
  if (before) return before;
  const found = await latestRows(ctx, query, { limit: MOST_KEPT, offset: 0 });
  if (found.total > MOST_KEPT) return undefined;
  kept.keep(name, found, now);
  return found;
}

export async function getLatestMetrics(ctx: Ctx, query: LatestQuery) {
  const { limit = LIMIT, offset = 0, reading } = query;
  const whole = reading === undefined ? undefined : await latestReading(ctx, query);
  if (whole) return { rows: whole.rows.slice(offset, offset + limit), total_count: whole.total };
  const { rows, total } = await latestRows(ctx, query, { limit, offset });
  return { rows, total_count: total };
}

export function getMetricBaselines(ctx: Ctx, query: Input<typeof contract.getMetricBaselines>['query']) {
  const probe = probeNamed(query.probe_name);
  const { connection_id } = query;
  const metrics = metricsNamed(probe, query.metrics);
  return baselines(ctx.db, { probe, metrics, connection_id, now: ctx.clock.now() });
}
