// Series over a window from samples and objects, with honest gaps: a bucket nobody measured is null. One statement
// each. The reply says which share of the window was measured and from which tier it was read.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Sql } from '../../kernel/sql.ts';
import type { Column, Probe } from '../../probes/types.ts';
import { type Combine, combineOf } from '../layout/combine.ts';
import { gapMs } from '../layout/gap-rule.ts';
import { isResetTime, type Shape, shapeOf, storedName } from '../layout/shapes.ts';
import { type TierTable, tierTablesOf } from '../layout/tier-tables.queries.ts';
import type { Tier } from '../layout/tiers.ts';
import type { Value } from '../layout/types.ts';
import { sourceRelation } from './packed-source.ts';
import {
  type Aggregate,
  type BucketRow,
  counterBuckets,
  gaugeBuckets,
  gaugeSamples,
  rawIncreases,
  type Source,
  type Window,
} from './series.queries.ts';
import { bucketsOf } from './series-buckets.ts';
import { objectGauges, storedIncreases } from './series-objects.queries.ts';
import { type NamedObject, namedObjects } from './series-rollup.queries.ts';
import { type Choice, choose, rollupRows, type Wanted } from './series-rollup.ts';

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
  /** The coarsest that was read; what is newer than it was read from the samples. */
  tier: 'raw' | Tier['name'];
}

const NUMERIC = new Set<Column['type']>(['integer', 'bigint', 'double precision']);

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

function sourceOf(query: SeriesQuery, { shape, column }: Asked): Omit<Source, 'rows'> {
  const dimensions = new Set([...shape.keys, ...shape.labels].map(({ name }) => name));
  const unknown = Object.keys(query.where ?? {}).find((name) => !dimensions.has(name));
  if (unknown !== undefined)
    throw new Fault('bad_request', `The probe ${shape.probe} has no dimension of one of these names.`);
  if (query.database_name !== undefined && !shape.byDatabase)
    throw new Fault('bad_request', `The probe ${shape.probe} does not tell databases apart.`);
  const stored = (columns: readonly Column[]) => columns.map(({ name }) => storedName(name));
  return {
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

function check(query: SeriesQuery, { shape, column }: Asked, source: Omit<Source, 'rows'>): void {
  const { aggregate } = query;
  if (column.kind === 'counter') {
    if (aggregate !== 'sum' && aggregate !== 'rate')
      throw new Fault('bad_request', 'Counters are read as sum or rate.');
    return;
  }
  if (aggregate === 'rate') throw new Fault('bad_request', 'Only counters have a rate.');
  if (shape.layout === 'objects' && (source.combine === 'max' || source.combine === 'min') && !query.where)
    throw new Fault('bad_request', 'Gauges of many objects are read as sum or mean.');
}

function statement(
  { asked, source, window }: { asked: Asked; source: Source; window: Window },
  how: Aggregate,
): Sql {
  const isObjects = asked.shape.layout === 'objects';
  if (asked.column.kind === 'counter')
    return counterBuckets({
      increases: (isObjects ? storedIncreases : rawIncreases)(source, window),
      window,
    });
  const samples = (isObjects ? objectGauges : gaugeSamples)(source, window);
  return gaugeBuckets({ samples, window }, how === 'rate' ? 'avg' : how);
}

const HOUR_MS = 3_600_000;

/** The raw table, with what of the window is packed beside it. */
async function rowsFor(db: Db, wanted: Wanted, tiers: readonly TierTable[]): Promise<Sql> {
  const { shape, column, window, where = {}, database_name } = wanted;
  const hole = gapMs(window.interval_seconds);
  const isObjects = shape.layout === 'objects';
  const from = (window.clip ?? window.from) - (isObjects ? HOUR_MS + 2 * hole : hole);
  const { connection_ids } = window;
  const isNamed = isObjects && Object.keys(where).length > 0;
  const named = isNamed
    ? await db.rows<NamedObject>(namedObjects({ kind: shape.probe, connection_ids, where }))
    : [];
  const objects = new Map(connection_ids.map((id) => [id, new Set<number>()]));
  for (const { connection_id, object_id } of named) objects.get(connection_id)?.add(object_id);
  const dimensions = isObjects ? [] : [...shape.keys, ...shape.labels.filter(({ name }) => name in where)];
  const resets = isObjects ? [] : shape.values.filter(isResetTime);
  return sourceRelation(db, {
    shape,
    columns: [...new Set([column, ...dimensions, ...resets])],
    connection_ids,
    from,
    to: window.to + hole,
    database_name,
    objects: isNamed ? objects : undefined,
    tiers,
  });
}

async function rowsOf(
  db: Db,
  { wanted, asked, source }: { wanted: Wanted; asked: Asked; source: Omit<Source, 'rows'> },
): Promise<{ rows: BucketRow[]; choice: Choice | undefined }> {
  const tables = await db.rows<TierTable>(tierTablesOf(asked.shape.probe));
  const choice = await choose(db, wanted, tables);
  const rolled = choice ? await rollupRows(db, wanted, choice) : [];
  if (choice && choice.until >= wanted.window.to) return { rows: rolled, choice };
  const window = { ...wanted.window, ...(choice && { clip: choice.until }) };
  const rows = await rowsFor(db, { ...wanted, window }, tables);
  const head = statement({ asked, source: { ...source, rows }, window }, wanted.aggregate);
  return { rows: [...rolled, ...(await db.rows<BucketRow>(head))], choice };
}

/** One series for each connection, in the order asked; without samples all of its values are null. */
export async function series(db: Db, query: SeriesQuery): Promise<Series[]> {
  const asked = askedOf(query);
  const { connection_ids, from, to, buckets, aggregate, database_name, where } = query;
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  const interval_seconds = query.interval_seconds ?? asked.shape.intervalSeconds;
  const source = sourceOf(query, asked);
  check(query, asked, source);
  const window = { connection_ids, from, to, buckets, interval_seconds };
  const wanted = { ...asked, aggregate, combine: source.combine, window, database_name, where };
  const { rows, choice } = await rowsOf(db, { wanted, asked, source });
  // Increases of databases always add up.
  const combine = asked.column.kind === 'counter' ? 'sum' : source.combine;
  return connection_ids.map((connection_id) => {
    const own = rows.filter((row) => row.connection_id === connection_id);
    const found = bucketsOf(own, { aggregate, combine, buckets });
    const covered = found.reduce((sum, bucket) => sum + (bucket?.covered_seconds ?? 0), 0);
    return {
      connection_id,
      values: found.map((bucket) => bucket?.value ?? null),
      coverage: Math.min(1, (covered * 1000) / (to - from)),
      tier: choice?.tier.name ?? 'raw',
    };
  });
}
