// Statements that take longer than before: increases of two windows of equal length, side by side. Guards: a statement is
// compared where both windows measured it; its share is of all that the same server executed.

import { isOwnStatement, textsOf } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { metricOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import { type MetricSeries, type MetricsQuery, metricBuckets } from '../../store/read/doors/buckets.ts';
import type { SlowerStatement } from './changes.contract.ts';
import type { TimelineScope } from './types.ts';

type Slower = Static<typeof SlowerStatement>;

const LEAST_FACTOR = 1.5;
const LEAST_PERCENT = 5;
const LONGEST_TEXT = 1000;

interface Figures {
  connection_id: number;
  database: string;
  queryid: string;
  mean_time: number | null;
  previous: number | null;
  total_exec_time: number | null;
  calls: number | null;
}

function figuresOf(series: readonly MetricSeries[]): Figures[] {
  const found = new Map<string, Figures>();
  for (const { metric, connection_id, group, values, compared } of series) {
    const { database_name, queryid } = group;
    const key = JSON.stringify([connection_id, database_name, queryid]);
    const one = found.get(key) ?? {
      connection_id,
      database: String(database_name),
      queryid: String(queryid),
      mean_time: null,
      previous: null,
      total_exec_time: null,
      calls: null,
    };
    found.set(key, one);
    const value = values[0] ?? null;
    if (metric.name === 'mean_time') [one.mean_time, one.previous] = [value, compared?.[0] ?? null];
    else if (metric.name === 'calls') one.calls = value;
    else one.total_exec_time = value;
  }
  return [...found.values()];
}

type Loads = ReadonlyMap<number, number>;

function slowerOf(all: readonly Figures[], loads: Loads, { servers }: TimelineScope): Slower[] {
  return all.flatMap((one): Slower[] => {
    const { connection_id, database, queryid, mean_time, previous, total_exec_time, calls } = one;
    const load = loads.get(connection_id) ?? 0;
    if (mean_time === null || !previous || total_exec_time === null || calls === null || load <= 0) return [];
    const [factor, load_percent] = [mean_time / previous, Math.min(100, (100 * total_exec_time) / load)];
    if (factor < LEAST_FACTOR || load_percent < LEAST_PERCENT) return [];
    return [
      {
        connection_id,
        server_name: servers.get(connection_id)?.name ?? '',
        database,
        queryid,
        query_text: null,
        mean_time_ms: mean_time,
        previous_mean_time_ms: previous,
        factor,
        calls,
        total_time_ms: total_exec_time,
        load_percent,
      },
    ];
  });
}

/**
 * What each server executed, and the statements that are a large share of it, of which there are never many. What runs inside functions
 * is counted with its caller as well.
 */
async function heavyOf(
  db: Db,
  query: Omit<MetricsQuery, 'metrics'>,
): Promise<{ loads: Loads; queryids: string[] }> {
  const { probe } = query;
  const all = await metricBuckets(db, {
    ...query,
    metrics: metricsOf(probe, ['total_exec_time']),
    group_by: [...(query.group_by ?? []), 'toplevel'],
  });
  const loads = new Map<number, number>();
  for (const { connection_id, values, group } of all)
    if (String(group.toplevel) !== 'false')
      loads.set(connection_id, (loads.get(connection_id) ?? 0) + (values[0] ?? 0));
  const heavy = all.filter(
    ({ connection_id, values }) =>
      100 * (values[0] ?? 0) >= LEAST_PERCENT * (loads.get(connection_id) ?? Number.POSITIVE_INFINITY),
  );
  return { loads, queryids: [...new Set(heavy.map(({ group }) => String(group.queryid)))] };
}

const metricsOf = (probe: Probe, names: readonly string[]) =>
  names.flatMap((name) => metricOf(probe, name) ?? []);

/** Those that cost the most first. Five statements: only what is a large share is compared with before. */
export async function slowerStatements(
  db: Db,
  asked: TimelineScope,
): Promise<{ total_count: number; statements: Slower[] }> {
  const { servers, from, to, limit } = asked;
  const probe = probes.find(({ name }) => name === 'pg_stat_statements');
  if (!probe) throw new Error('there is no probe of statements');
  const connection_ids = [...servers.keys()];
  const group_by = ['database_name', 'queryid'];
  const query = { probe, connection_ids, aggregate: 'sum', from, to, buckets: 1, group_by } as const;
  const { loads, queryids } = await heavyOf(db, query);
  if (queryids.length === 0) return { total_count: 0, statements: [] };
  const series = await metricBuckets(db, {
    ...query,
    metrics: metricsOf(probe, ['mean_time', 'total_exec_time', 'calls']),
    compare_from: from - (to - from),
    where: { queryid: queryids },
  });
  const all = slowerOf(figuresOf(series), loads, asked).sort((a, b) => b.total_time_ms - a.total_time_ms);
  const texts = await textsOf(
    db,
    all.map(({ connection_id, database, queryid }) => ({
      connection_id,
      database_name: database,
      queryid,
    })),
  );
  const keyOf = (...parts: readonly unknown[]) => JSON.stringify(parts);
  const known = new Map(
    texts.map((one) => [keyOf(one.connection_id, one.database_name, one.queryid), one.query_text]),
  );
  const textOf = (one: Slower) => {
    const text = known.get(keyOf(one.connection_id, one.database, one.queryid));
    return text === undefined || text === null ? null : cutText(text, LONGEST_TEXT);
  };
  // What monitoring runs itself explains nothing.
  const others = all.filter((one) => !isOwnStatement(textOf(one)));
  return {
    total_count: others.length,
    statements: others.slice(0, limit).map((one) => ({ ...one, query_text: textOf(one) })),
  };
}
