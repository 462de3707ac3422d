// Rolls some hours of one database of a connection up, in all tiers, in place of whatever rollups were there. Guards:
// the same rows always give the same rollups, so it can be done again at any time.
import type { Database, Db } from '../../kernel/db.ts';
import { storableKey, toJson } from '../format/content.ts';
import type { SampleRow } from '../format/rows.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import { HOUR_MS, type Rows } from '../format/stored-rows.ts';
import { lockLease, type NamedObject, nameObjects } from '../layout/objects.queries.ts';
import type { Shape } from '../layout/shapes.ts';
import { hasLastingKeys, isByClass, numbersOf, rollupName, tiersOf } from '../layout/tiers.ts';
import { rollClasses } from './active-classes.ts';
import type { Grid } from './buckets.ts';
import { rollTicks } from './objects.ts';
import { deleteRollups } from './roll.queries.ts';
import { entityOf, rollSamples } from './samples.ts';
import { rowsOf, writeRollups } from './write.ts';

/** More entities than this in an hour are only rolled up together. */
const MOST_ENTITIES = 1000;

const jsonOf = (shape: Shape, row: SampleRow, kind: string) =>
  toJson(
    Object.fromEntries(
      shape.values.flatMap((column, index) => {
        const cell = row.cells[index] ?? null;
        return column.kind === kind ? [[column.name, typeof cell === 'bigint' ? String(cell) : cell]] : [];
      }),
    ),
  );

/**
 * Entities of samples by the dictionary's ids; the same names that ticks use. In a transaction of its own, since no batch
 * of the connection can be written meanwhile.
 */
async function nameEntities(
  db: Database,
  { shape, slice, rows }: { shape: Shape; slice: Slice; rows: readonly SampleRow[] },
): Promise<Map<string, number>> {
  const newest = new Map<string, SampleRow>();
  for (const row of rows) {
    const entity = entityOf(shape, row);
    if ((newest.get(entity)?.at ?? -1) < row.at) newest.set(entity, row);
  }
  if (!hasLastingKeys(shape) || newest.size > MOST_ENTITIES || shape.keys.length === 0)
    return new Map<string, number>();
  const { connection_id, database_name } = slice;
  const inputs = [...newest].map(([entity, row]) => ({
    family: 0,
    object_key: storableKey(entity),
    key: jsonOf(shape, row, 'key'),
    labels: jsonOf(shape, row, 'label'),
    seen: Math.floor(row.at / 1000),
  }));
  const named = await db.transaction(async (naming) => {
    await naming.run(lockLease(connection_id));
    return naming.rows<NamedObject>(
      nameObjects([{ connection_id, kind: shape.probe, database_name }], inputs),
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

export interface RollUp {
  /** Beside the transaction that rolls up. */
  names: Database;
  slice: Slice;
  rows: Rows;
  /** What the probe's interval was then: it decides what is a hole. */
  interval_seconds: number;
}

/** `rows` reach from an hour and two holes before the slice to a hole after it. */
export async function rollUp(db: Db, shape: Shape, what: RollUp): Promise<void> {
  const { slice, rows, interval_seconds } = what;
  if (numbersOf(shape).length === 0 || (slice.to - slice.from) % HOUR_MS !== 0) return;
  if (isByClass(shape)) return rollClasses(db, shape, { slice, ticks: rows.ticks });
  const isSamples = shape.layout === 'samples';
  const names = isSamples
    ? await nameEntities(what.names, { shape, slice, rows: rows.samples })
    : new Map<string, number>();
  const timed = { ...shape, intervalSeconds: interval_seconds };
  const idOf = (entity: string) => (isSamples ? names.get(entity) : Number(entity));
  for (const tier of tiersOf(shape)) {
    const grid: Grid = { from: slice.from * 1000, to: slice.to * 1000, width: tier.seconds * 1e6 };
    const table = isSamples ? rollSamples(timed, grid, rows.samples) : rollTicks(timed, grid, rows.ticks);
    const rolled = rowsOf({ shape, grid, buckets: table.buckets, idOf });
    await db.run(deleteRollups(rollupName(shape, tier), slice));
    const { connection_id, database_name } = slice;
    await writeRollups(db, { shape, tier, connection_id, database_name, rows: rolled });
  }
}
