// Metrics of what is kept of the log of servers, as of now. Guards: a log that cannot be read has no value, which is not zero; where only
// a part of the window was read, a value is a least one, so it can fire an alert and clears none; lines that come late count, since the
// window is counted anew each time.
import type { MetricValue, NewestMetricsQuery } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { MetricValue as Value } from '../../probes/metric-types.ts';
import * as queries from './log-values.queries.ts';

type OfLog<K extends Value['kind']> = Extract<Value, { kind: K }>;

/** Counts are kept by the minute, so that a window begins with a whole one. */
const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

interface Hour {
  readonly now: number;
  readonly logs: readonly queries.KnownLog[];
  readonly counts: ReadonlyMap<number, readonly queries.ClassCount[]>;
}

const valueAt = (
  { connection_id, at, is_whole }: queries.KnownLog,
  value: number,
  object: MetricValue['object'] = {},
): MetricValue => ({
  ...{ connection_id, database_name: '', object, at: new Date(at).toISOString(), value },
  ...(!is_whole && { isAtLeast: true as const }),
});

const ofSum = ({ logs, counts }: Hour, numberOf: (one: queries.ClassCount) => number): MetricValue[] =>
  logs.map((log) => {
    const own = counts.get(log.connection_id) ?? [];
    return valueAt(
      log,
      own.reduce((sum, one) => sum + numberOf(one), 0),
    );
  });

const ofEvents = (hour: Hour, { classes, per }: OfLog<'log events'>) =>
  ofSum(hour, (one) => (classes.includes(one.class) ? (per === 'minute' ? one.most : one.events) : 0));

async function ofFigure(db: Db, { logs, now }: Hour, value: OfLog<'log figure'>): Promise<MetricValue[]> {
  const { classes, figure, scale, minutes } = value;
  const connection_ids = logs.map(({ connection_id }) => connection_id);
  const from = now - minutes * MINUTE_MS;
  const rows = await db.rows<{ connection_id: number; value: number | null }>(
    queries.greatestFigure({ connection_ids, classes, figure, from }),
  );
  const found = new Map(rows.map((row) => [row.connection_id, row.value ?? 0]));
  return logs.map((log) => valueAt(log, (found.get(log.connection_id) ?? 0) * scale));
}

const named = ({ connection_id, class: name }: queries.ClassOf) => JSON.stringify([connection_id, name]);
const shown = (number: number) => (number < 10 ? Number(number.toFixed(1)) : Math.round(number));

/** What is usual is known after a day and the hour that is judged. */
async function ofErrors(
  db: Db,
  { logs, counts, now }: Hour,
  value: OfLog<'log errors'>,
): Promise<MetricValue[]> {
  const { leastUsual, except } = value;
  const to = minuteOf(now - HOUR_MS);
  const from = to - DAY_MS;
  const learnt = logs.filter(({ since }) => since !== null && since <= from);
  const many = learnt.flatMap((log) =>
    (counts.get(log.connection_id) ?? [])
      .filter((one) => one.errors >= leastUsual && !except.includes(one.class))
      .map((one) => ({ log, one })),
  );
  if (many.length === 0) return [];
  const rows = await db.rows<queries.ClassOf & { errors: number }>(
    queries.errorsBetween(
      many.map(({ one }) => one),
      { from, to },
    ),
  );
  const before = new Map(rows.map((row) => [named(row), row.errors]));
  return many.map(({ log, one }): MetricValue => {
    const usual = (before.get(named(one)) ?? 0) / (DAY_MS / HOUR_MS);
    const found = valueAt(log, one.errors / Math.max(usual, leastUsual), {
      class: one.class === '' ? 'unclassified' : one.class,
    });
    return { ...found, says: `${one.errors} in the last hour, usually ${shown(usual)} an hour` };
  });
}

const readKnownLogs = (db: Db, connection_ids: readonly number[], now: number): Promise<queries.KnownLog[]> =>
  db.rows<queries.KnownLog>(queries.knownLogs(connection_ids, now - HOUR_MS));

/** Some metrics of logs, in their order: two statements for all of them, and one or two for some. */
export async function logValues(
  db: Db,
  { metrics, connection_ids, now }: Pick<NewestMetricsQuery, 'metrics' | 'connection_ids' | 'now'>,
): Promise<MetricValue[][]> {
  const logs = connection_ids.length === 0 ? [] : await readKnownLogs(db, connection_ids, now);
  if (logs.length === 0) return metrics.map(() => []);
  const ids = logs.map(({ connection_id }) => connection_id);
  const rows = await db.rows<queries.ClassCount>(queries.classCounts(ids, minuteOf(now - HOUR_MS)));
  const hour = { now, logs, counts: Map.groupBy(rows, ({ connection_id }) => connection_id) };
  return Promise.all(
    metrics.map(async (metric) => {
      const { value } = metric;
      if (value.kind === 'log events') return ofEvents(hour, value);
      if (value.kind === 'log panics') return ofSum(hour, ({ panics }) => panics);
      if (value.kind === 'log figure') return ofFigure(db, hour, value);
      return value.kind === 'log errors' ? ofErrors(db, hour, value) : [];
    }),
  );
}

/** Connections whose log was read as a whole lately, with the time of the last look. */
export async function wholeLogs(
  db: Db,
  connection_ids: readonly number[],
  now: number,
): Promise<Pick<queries.KnownLog, 'connection_id' | 'at'>[]> {
  return (await readKnownLogs(db, connection_ids, now)).filter(({ is_whole }) => is_whole);
}
