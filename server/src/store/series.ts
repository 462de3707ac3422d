// Series over a window from samples and objects, with honest gaps: a bucket nobody measured is null. One statement
// each. The reply says which share of the window was measured and from which tier it was read.
import type { Db } from '../kernel/db.ts';
import { Fault } from '../kernel/errors.ts';
import type { Column, Probe } from '../probes/types.ts';
import {
  type Aggregate,
  type BucketRow,
  type Combine,
  counterBuckets,
  gaugeBuckets,
  gaugeSamples,
  rawIncreases,
  type Source,
  type Window,
} from './series.queries.ts';
import { objectGauges, storedIncreases } from './series-objects.queries.ts';
import { isResetTime, type Shape, shapeOf, storedName } from './shapes.ts';
import type { Value } from './types.ts';

export type { Aggregate, Combine };

export interface SeriesQuery {
  probe: Probe;
  column: string;
  connection_ids: readonly number[];
  /** Milliseconds since the epoch; the buckets are equal parts. */
  from: number;
  to: number;
  buckets: number;
  /** Of counters only `sum` (the increase) and `rate` (a second) make sense; of gauges all but `rate`. */
  aggregate: Aggregate;
  /** How several entities become one value; by default the declared unit decides. */
  combine?: Combine;
  database_name?: string;
  /** Exact values of key or label columns. */
  where?: Readonly<Record<string, Value>>;
  /** Instead of the probe's declared one. */
  interval_seconds?: number;
}

export interface Series {
  connection_id: number;
  /** One for each bucket; null where nothing was measured. */
  values: (number | null)[];
  /** Share of the window that samples stand for, 0 to 1. */
  coverage: number;
  tier: 'raw';
}

const NUMERIC = new Set<Column['type']>(['integer', 'bigint', 'double precision']);

/** Ages, lags and durations by their worst, percentages and means by their mean, everything else adds up. */
function combineOf({ name, unit }: Column): Combine {
  if (/(^|_)(age|lag)(_|$)/.test(name) || unit === 'ms' || unit === 'seconds') return 'max';
  return unit === 'percent' || /^mean_|_mean(_|$)|_avg(_|$)/.test(name) ? 'avg' : 'sum';
}

interface Asked {
  shape: Shape;
  column: Column;
}

/** The shape and column that a query names. */
export function askedOf({ probe, column: name }: { probe: Probe; column: string }): Asked {
  const shape = shapeOf(probe);
  const column = probe.columns.find((one) => one.name === name);
  if (!shape) throw new Fault('bad_request', `The probe ${probe.name} keeps no samples.`);
  const isValue = column?.kind === 'gauge' || column?.kind === 'counter';
  if (!column || !isValue || !NUMERIC.has(column.type))
    throw new Fault('bad_request', `The probe ${probe.name} has no numbers in a column of that name.`);
  return { shape, column };
}

function sourceOf(query: SeriesQuery, { shape, column }: Asked): Source {
  const dimensions = new Set([...shape.keys, ...shape.labels].map(({ name }) => name));
  const unknown = Object.keys(query.where ?? {}).find((name) => !dimensions.has(name));
  if (unknown !== undefined)
    throw new Fault('bad_request', `The probe ${shape.probe} has no dimension of one of these names.`);
  if (query.database_name !== undefined && !shape.byDatabase)
    throw new Fault('bad_request', `The probe ${shape.probe} does not tell databases apart.`);
  const stored = (columns: readonly Column[]) => columns.map(({ name }) => storedName(name));
  return {
    table: shape.table.name,
    kind: shape.probe,
    column: storedName(column.name),
    byDatabase: shape.byDatabase,
    keys: stored(shape.keys),
    resets: stored(shape.values.filter(isResetTime)),
    combine: query.combine ?? combineOf(column),
    ...(query.database_name !== undefined && { database_name: query.database_name }),
    ...(query.where && { where: query.where }),
  };
}

function statement(query: SeriesQuery, asked: Asked, window: Window) {
  const source = sourceOf(query, asked);
  const isObjects = asked.shape.layout === 'objects';
  const { aggregate } = query;
  if (asked.column.kind === 'counter') {
    if (aggregate !== 'sum' && aggregate !== 'rate')
      throw new Fault('bad_request', 'Counters are read as sum or rate.');
    const increases = (isObjects ? storedIncreases : rawIncreases)(source, window);
    return counterBuckets({ increases, window }, aggregate);
  }
  if (aggregate === 'rate') throw new Fault('bad_request', 'Only counters have a rate.');
  if (isObjects && (source.combine === 'max' || source.combine === 'min') && !query.where)
    throw new Fault('bad_request', 'Gauges of many objects are read as sum or mean.');
  const samples = (isObjects ? objectGauges : gaugeSamples)(source, window);
  return gaugeBuckets({ samples, source, window }, aggregate);
}

/** One series for each connection, in the order asked; without samples all of its values are null. */
export async function series(db: Db, query: SeriesQuery): Promise<Series[]> {
  const asked = askedOf(query);
  const { connection_ids, from, to, buckets } = query;
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  const interval_seconds = query.interval_seconds ?? asked.shape.intervalSeconds;
  const window = { connection_ids, from, to, buckets, interval_seconds };
  const rows = await db.rows<BucketRow>(statement(query, asked, window));
  return connection_ids.map((connection_id) => {
    const values = Array.from({ length: buckets }, (): number | null => null);
    let covered = 0;
    for (const row of rows) {
      if (row.connection_id !== connection_id) continue;
      values[row.n] = row.value;
      covered += row.covered_seconds;
    }
    return { connection_id, values, coverage: Math.min(1, (covered * 1000) / (to - from)), tier: 'raw' };
  });
}
