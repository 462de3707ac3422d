// Rolls some hours of one database of a connection up, in all tiers, in place of whatever rollups were there. Guards:
// what an hour's rollups say depends on the rows within a fixed reach of that hour and on the interval of its time, and
// on nothing else: not on which hours are rolled up together, nor on when. So it can be done again at any time, and be
// verified. However many entities there are, a bounded number of cells is in memory at a time.
import type { Database, Db } from '../../kernel/db.ts';
import { greatest } from '../../kernel/lists.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { storableKey, toJson } from '../format/content.ts';
import type { SampleRow, TickRow } from '../format/rows.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import type { Rows } from '../format/stored-rows.ts';
import { gapMs } from '../layout/intervals.ts';
import { lockLease, type NamedObject, nameObjects } from '../layout/objects.queries.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { hasLastingKeys, isByClass, numbersOf, rollupName, type Tier, tiersOf } from '../layout/tiers.ts';
import { rollClasses } from './active-classes.ts';
import type { Grid } from './buckets.ts';
import { rollTicks } from './objects.ts';
import { deleteRollups } from './roll.queries.ts';
import { entityOf, rollSamples } from './samples.ts';
import { type RollupRow, rowsOf, writeRollups } from './write.ts';

/** More entities than this in an hour are only rolled up together. */
const MOST_ENTITIES = 1000;
/** Cells, by entity, column and span, that are in memory at a time, unless a single span takes more. */
const MOST_CELLS = 500_000;

/** How far before an hour begins, and after it ends, the rows lie that its rollups are made of. */
export function reachOf(intervalSeconds: number): { before: number; after: number } {
  const after = Math.ceil(gapMs(intervalSeconds));
  // The value before the first one counts, and the last whole keyframe before that; there is one every hour.
  return { before: 2 * HOUR_MS + 2 * after, after };
}

/** One hour, with the rows within its reach. */
interface HourRows {
  from: number;
  interval_seconds: number;
  samples: readonly SampleRow[];
  ticks: readonly TickRow[];
  /** Newest row of each entity of samples that is told apart. */
  entities: ReadonlyMap<string, SampleRow>;
}

const jsonOf = (layout: TableLayout, row: SampleRow, kind: string) =>
  toJson(
    Object.fromEntries(
      layout.values.flatMap((column, index) => {
        const cell = row.cells[index] ?? null;
        return column.kind === kind ? [[column.name, typeof cell === 'bigint' ? String(cell) : cell]] : [];
      }),
    ),
  );

/** Those whose values may stand for a part of the hour; none where they do not last, or are too many. */
function entitiesOf(
  layout: TableLayout,
  samples: readonly SampleRow[],
  from: number,
): Map<string, SampleRow> {
  const newest = new Map<string, SampleRow>();
  if (!hasLastingKeys(layout) || layout.keys.length === 0) return newest;
  for (const row of samples) {
    if (row.at <= from * 1000) continue;
    const entity = entityOf(layout, row);
    if ((newest.get(entity)?.at ?? -1) < row.at) newest.set(entity, row);
  }
  return newest.size > MOST_ENTITIES ? new Map() : newest;
}

function hoursOf(layout: TableLayout, { slice, rows, intervalAt }: Omit<Rolling, 'names'>): HourRows[] {
  const count = Math.round((slice.to - slice.from) / HOUR_MS);
  return Array.from({ length: count }, (_, index) => {
    const from = slice.from + index * HOUR_MS;
    const interval_seconds = intervalAt(from);
    const { before, after } = reachOf(interval_seconds);
    const [begin, end] = [(from - before) * 1000, (from + HOUR_MS + after) * 1000];
    const isWithin = ({ at }: { at: number }) => at >= begin && at < end;
    const samples = rows.samples.filter(isWithin);
    const entities = entitiesOf(layout, samples, from);
    return { from, interval_seconds, samples, ticks: rows.ticks.filter(isWithin), entities };
  });
}

/**
 * Entities of samples by the dictionary's ids; the same names that ticks use. In a transaction of its own, since no batch
 * of the connection can be written meanwhile.
 */
async function nameEntities(
  db: Database,
  { layout, slice, hours }: { layout: TableLayout; slice: Slice; hours: readonly HourRows[] },
): Promise<Map<string, number>> {
  const newest = new Map(hours.flatMap(({ entities }) => [...entities]));
  if (newest.size === 0) return new Map<string, number>();
  const { connection_id, database_name } = slice;
  const inputs = [...newest].map(([entity, row]) => ({
    family: 0,
    object_key: storableKey(entity),
    key: jsonOf(layout, row, 'key'),
    labels: jsonOf(layout, row, 'label'),
    seen: Math.floor(row.at / 1000),
  }));
  const named = await db.transaction(async (naming) => {
    await naming.run(lockLease(connection_id));
    return naming.rows<NamedObject>(
      nameObjects([{ connection_id, kind: layout.probe, database_name }], inputs),
    );
  });
  const ids = new Map(named.map(({ position, object_id }) => [position, object_id]));
  return new Map(
    [...newest.keys()].flatMap((entity, index) => {
      const id = ids.get(index + 1);
      return id === undefined ? [] : [[entity, id] as const];
    }),
  );
}

export interface Rolling {
  /** Beside the transaction that rolls up. */
  names: Database;
  slice: Slice;
  /** Those within the reach of each hour of the slice; more do no harm. */
  rows: Rows;
  /** What the probe's interval was in an hour: it decides what is a hole. */
  intervalAt(hour: number): number;
}

/** Whether a tier is made of an hour. */
type Makes = (tier: Tier, hour: number) => boolean;

/** The spans of an hour, as many at a time as memory allows. */
function gridsOf(tier: Tier, from: number, cells: number): Grid[] {
  const width = tier.seconds * 1e6;
  const together = Math.max(1, Math.floor(MOST_CELLS / Math.max(1, cells)));
  const count = Math.round((HOUR_MS * 1000) / width);
  return Array.from({ length: Math.ceil(count / together) }, (_, index) => ({
    from: from * 1000 + index * together * width,
    to: from * 1000 + Math.min(count, (index + 1) * together) * width,
    width,
  }));
}

/** How many cells a span may have. */
function cellsOf(layout: TableLayout, { samples, ticks }: HourRows): number {
  const entities =
    layout.keeps === 'samples'
      ? new Set(samples.map((row) => entityOf(layout, row))).size
      : greatest(
          ticks.map(({ ids }) => ids.length),
          0,
        );
  return (entities + 1) * numbersOf(layout).length;
}

/** What a tier says of an hour, as much at a time as memory allows. */
function* hourRolled(
  layout: TableLayout,
  tier: Tier,
  { hour, cells, names }: { hour: HourRows; cells: number; names: ReadonlyMap<string, number> },
): Generator<RollupRow[]> {
  const isSamples = layout.keeps === 'samples';
  const timed = { ...layout, intervalSeconds: hour.interval_seconds };
  const idOf = (entity: string) => {
    if (!isSamples) return Number(entity);
    return hour.entities.has(entity) ? names.get(entity) : undefined;
  };
  for (const grid of gridsOf(tier, hour.from, cells)) {
    const table = isSamples ? rollSamples(timed, grid, hour.samples) : rollTicks(timed, grid, hour.ticks);
    yield rowsOf({ layout, grid, buckets: table.buckets, idOf });
  }
}

/** Tells, hour by hour, what tiers say of them. */
export async function rollHours(
  layout: TableLayout,
  { makes, ...what }: Rolling & { makes: Makes },
  tell: (tier: Tier, rows: readonly RollupRow[]) => Promise<void>,
): Promise<void> {
  const tiersAt = (hour: number) => tiersOf(layout).filter((tier) => makes(tier, hour));
  const hours = hoursOf(layout, what).filter(({ from }) => tiersAt(from).length > 0);
  const names = await nameEntities(what.names, { layout, slice: what.slice, hours });
  for (const hour of hours) {
    const cells = cellsOf(layout, hour);
    for (const tier of tiersAt(hour.from))
      for (const rows of hourRolled(layout, tier, { hour, cells, names })) await tell(tier, rows);
  }
}

export interface RollUp extends Rolling {
  /** Hours from then on (milliseconds since the epoch) are left for later; of most tiers none are. */
  madeUntil(tier: Tier): number;
}

/** In place of whatever rollups were there in rows. */
export async function rollUp(db: Db, layout: TableLayout, what: RollUp): Promise<void> {
  const { slice, rows, madeUntil } = what;
  const { connection_id, database_name } = slice;
  if (numbersOf(layout).length === 0 || (slice.to - slice.from) % HOUR_MS !== 0) return;
  if (isByClass(layout)) return rollClasses(db, layout, { slice, ticks: rows.ticks });
  for (const tier of tiersOf(layout)) {
    const to = Math.min(slice.to, madeUntil(tier));
    if (slice.from < to) await db.run(deleteRollups(rollupName(layout, tier), { ...slice, to }));
  }
  const makes: Makes = (tier, hour) => hour < madeUntil(tier);
  await rollHours(layout, { ...what, makes }, (tier, own) =>
    writeRollups(db, { layout, tier, connection_id, database_name, rows: own }),
  );
}
