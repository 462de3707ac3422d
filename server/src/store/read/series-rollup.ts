// Series from rollups: which tier serves a query, and what its spans say of each bucket. Guards: a tier is only taken
// when it says what the samples would have said; a span that lies in two buckets is split by time.
import type { Db } from '../../kernel/db.ts';
import type { Column } from '../../probes/types.ts';
import { combineOf } from '../layout/combine.ts';
import { dayOf } from '../layout/engine/types.ts';
import { gapMs } from '../layout/gap-rule.ts';
import type { Shape } from '../layout/shapes.ts';
import type { TierTable } from '../layout/tier-tables.queries.ts';
import { hasLastingKeys, hotOf, isByClass, rollupName, TIERS, type Tier } from '../layout/tiers.ts';
import type { Value } from '../layout/types.ts';
import { withPacked } from './read-days.ts';
import type { Aggregate, BucketRow, Combine, Window } from './series.queries.ts';
import { type NamedObject, namedObjects, type RollupCell, rollupCells } from './series-rollup.queries.ts';

export interface Wanted {
  shape: Shape;
  column: Column;
  aggregate: Aggregate;
  combine: Combine;
  window: Window;
  database_name: string | undefined;
  where: Readonly<Record<string, Value>> | undefined;
}

export interface Choice {
  tier: Tier;
  /** Milliseconds since the epoch: the rollups tell what was before, the samples the rest. */
  until: number;
  objects: readonly NamedObject[] | undefined;
  /** Days before this may be packed; undefined: none are. */
  packedBefore: number | undefined;
}

/** Buckets that begin and end with spans need one span each, others some. */
export function isFineEnough({ seconds }: Tier, { from, to, buckets }: Window): boolean {
  const width = (to - from) / buckets;
  const span = seconds * 1000;
  const isAligned = width % span === 0 && from % span === 0;
  return isAligned || width >= 4 * span;
}

/** Whether the objects' own rollups add up to what was asked. */
function addsUp({ shape, column, aggregate, combine }: Wanted, objects: readonly NamedObject[]): boolean {
  const places = new Set(
    objects.map(({ connection_id, database_name }) => `${connection_id} ${database_name}`),
  );
  if (places.size === objects.length) return true;
  if (shape.layout === 'samples') return false;
  if (column.kind === 'counter') return true;
  return combine === 'sum' && aggregate !== 'min' && aggregate !== 'max';
}

async function objectsOf(db: Db, wanted: Wanted): Promise<readonly NamedObject[] | null | undefined> {
  const { shape, where, column, combine } = wanted;
  if (!where || Object.keys(where).length === 0) {
    const usual = combineOf(column);
    const rolled = shape.layout === 'objects' && usual !== 'avg' ? 'sum' : usual;
    return column.kind === 'counter' || combine === rolled ? undefined : null;
  }
  const keys = new Set(shape.keys.map(({ name }) => name));
  const isByKeys = hasLastingKeys(shape) && Object.keys(where).every((name) => keys.has(name));
  if (shape.layout === 'samples' && !isByKeys) return null;
  const { connection_ids } = wanted.window;
  const objects = await db.rows<NamedObject>(namedObjects({ kind: shape.probe, connection_ids, where }));
  return addsUp(wanted, objects) ? objects : null;
}

/** The coarsest tier that serves; undefined: the samples themselves do. */
export async function choose(
  db: Db,
  wanted: Wanted,
  tables: readonly TierTable[],
): Promise<Choice | undefined> {
  const { shape, window } = wanted;
  if (isByClass(shape)) return undefined;
  // Hours of a probe that runs as rarely as this are rolled up late.
  const isRare = gapMs(window.interval_seconds) > hotOf(shape).hot_ms;
  if (isRare && window.interval_seconds !== shape.intervalSeconds) return undefined;
  const tier = TIERS.findLast(
    (one) => tables.some(({ tier: name }) => name === one.name) && isFineEnough(one, window),
  );
  const filled = tables.find(({ tier: name }) => name === tier?.name)?.filled_until ?? null;
  if (!tier || filled === null || filled <= window.from) return undefined;
  const objects = await objectsOf(db, wanted);
  if (objects === null) return undefined;
  const isPacked = tables.some(({ tier: name }) => name === `${tier.name}p`);
  const packedBefore = isPacked ? dayOf(filled) : undefined;
  return { tier, until: Math.min(filled, window.to), objects, packedBefore };
}

/** A cell with what was left out filled in; undefined: nobody knows. */
interface Known {
  value: number;
  seconds: number;
  min: number;
  max: number;
  last: number | null;
  sum: number | null;
}

function counterOf(cell: RollupCell, isObjects: boolean): Known | undefined {
  const { length, place, covered_seconds, sec, all_sec } = cell;
  if (length === null || (place === null && !isObjects)) return undefined;
  const value = place === null || place > length ? 0 : cell.value;
  if (value === null) return undefined;
  const seconds = (isObjects ? all_sec : sec) ?? covered_seconds;
  return { value, seconds, min: value, max: value, last: value, sum: value };
}

const unlessNaN = (value: number) => (Number.isNaN(value) ? null : value);

function gaugeOf(cell: RollupCell): Known | undefined {
  const { value, covered_seconds, sec, min, max, last, sum, runs } = cell;
  if (value === null) return undefined;
  return {
    value,
    seconds: sec ?? covered_seconds,
    min: min ?? value,
    max: max ?? value,
    last: unlessNaN(last ?? value),
    sum: sum === null ? value * runs : unlessNaN(sum),
  };
}

function bucketValue({ value, seconds, min, max, last, sum }: Known, aggregate: Aggregate, share: number) {
  if (aggregate === 'avg') return value * seconds * share;
  if (aggregate === 'min') return min;
  if (aggregate === 'max') return max;
  if (aggregate === 'last') return last;
  return sum === null ? null : sum * share;
}

/** Several objects of the same span are one. */
function merged(cells: readonly RollupCell[], { shape, column }: Wanted): [RollupCell, Known][] {
  const spans = new Map<string, [RollupCell, Known]>();
  for (const cell of cells) {
    const known = column.kind === 'counter' ? counterOf(cell, shape.layout === 'objects') : gaugeOf(cell);
    if (!known) continue;
    const key = `${cell.connection_id} ${cell.at} ${cell.database_name}`;
    const before = spans.get(key)?.[1];
    spans.set(key, [cell, before ? plus(before, known) : known]);
  }
  return [...spans.values()];
}

const total = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));

/** Means that were known for different times add up as value × time. */
function plus(a: Known, b: Known): Known {
  const seconds = Math.max(a.seconds, b.seconds);
  return {
    value:
      a.seconds === b.seconds ? a.value + b.value : (a.value * a.seconds + b.value * b.seconds) / seconds,
    seconds,
    min: a.min,
    max: a.max,
    last: total(a.last, b.last),
    sum: total(a.sum, b.sum),
  };
}

/** Like the rows of the statements on samples, of the time before `until`; increases as `sum`. */
export async function rollupRows(
  db: Db,
  wanted: Wanted,
  { tier, until, objects, packedBefore }: Choice,
): Promise<BucketRow[]> {
  const { shape, column, window, aggregate, database_name } = wanted;
  const { from, to, buckets, connection_ids } = window;
  const span = tier.seconds * 1000;
  const read = { table: rollupName(shape, tier), column, connection_ids, database_name };
  const pairs = objects?.map(({ connection_id, object_id }) => [connection_id, object_id] as const);
  const asked = { ...read, from: Math.floor(from / span) * span, to: until, objects: pairs };
  const inRows = await db.rows<RollupCell>(rollupCells(asked));
  const isPacked = packedBefore !== undefined && from < packedBefore;
  const cells = isPacked ? await withPacked(db, { shape, tier, read: asked }, inRows) : inRows;
  const width = (to - from) / buckets;
  const how = column.kind === 'counter' ? 'sum' : aggregate;
  const rows: BucketRow[] = [];
  for (const [cell, known] of merged(cells, wanted)) {
    const end = Math.min(cell.at + span, until);
    for (
      let n = Math.max(0, Math.floor((cell.at - from) / width));
      n < buckets && from + n * width < end;
      n += 1
    ) {
      const overlap = Math.min(end, from + (n + 1) * width) - Math.max(cell.at, from + n * width);
      if (overlap <= 0) continue;
      const share = overlap / span;
      const value = bucketValue(known, how, share);
      const { connection_id, database_name: name } = cell;
      rows.push({ connection_id, database_name: name, n, value, covered_seconds: known.seconds * share });
    }
  }
  return rows;
}
