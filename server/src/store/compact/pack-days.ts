// Rollups of days that are over become one packed row of each database, and the rows they were are deleted in the same
// transaction. Guards: a day that gets rows later (late data) is packed again together with what is packed; it can stop
// anywhere and be done again.
import type { Database, Db } from '../../kernel/db.ts';
import { type DayRow, type Element, packDay, unpackDay } from '../format/days.ts';
import { type PackedRow, packedHours, type Slice } from '../format/stored-rows.queries.ts';
import { DAY_MS, dayOf, type Engine } from '../layout/engine/types.ts';
import type { Shape } from '../layout/shapes.ts';
import {
  arraysOf,
  numbersOf,
  packedRollupName,
  packedTiersOf,
  rollupName,
  type Tier,
} from '../layout/tiers.ts';
import { type OpenDay, openDays, rollupSpans, type StoredSpan } from '../rollup/days.queries.ts';
import { deleteRollups } from '../rollup/roll.queries.ts';
import { addLayout, findLayout, lockTable, putPacked } from './compact.queries.ts';
import { ensureDayPartitions } from './tables.ts';

const isList = (value: StoredSpan[string]): value is Element[] => Array.isArray(value);

function dayRow(shape: Shape, span: StoredSpan): DayRow {
  const { at, runs, covered_seconds, object_ids } = span;
  const arrays = numbersOf(shape)
    .flatMap(arraysOf)
    .map((name) => {
      const value = span[name] ?? null;
      return [name, isList(value) ? value : null] as const;
    });
  return { at, runs, covered_seconds, object_ids, arrays: Object.fromEntries(arrays) };
}

const toPacked = ({ names, columns }: PackedRow) =>
  new Map(
    names.flatMap((name, index): [string, Buffer][] => {
      const data = columns[index];
      return data ? [[name, data]] : [];
    }),
  );

/** The rows of a day, packed ones first: what came later replaces them. */
export async function rowsOfDay(db: Db, { shape, tier, slice }: { shape: Shape; tier: Tier; slice: Slice }) {
  const packed = await db.rows<PackedRow>(packedHours(packedRollupName(shape, tier), slice));
  const spans = await db.rows<StoredSpan>(rollupSpans(shape, rollupName(shape, tier), slice));
  const before = packed.flatMap((day) => unpackDay(shape, toPacked(day)));
  return { rows: [...before, ...spans.map((span) => dayRow(shape, span))], spans: spans.length };
}

async function packOne(
  db: Database,
  { shape, tier, open }: { shape: Shape; tier: Tier; open: OpenDay },
): Promise<void> {
  const { connection_id, database_name, day } = open;
  const slice: Slice = { connection_id, database_name, from: day, to: day + DAY_MS };
  await db.transaction(async (inner) => {
    // The same lock as that of packing hours, which makes rollups anew.
    await inner.run(lockTable(`${shape.table.name} ${connection_id}`));
    const { rows, spans } = await rowsOfDay(inner, { shape, tier, slice });
    const packed = packDay(shape, rows);
    const names = [...packed.keys()];
    await inner.run(addLayout(names));
    const { layout_id } = await inner.one<{ layout_id: number }>(findLayout(names));
    const columns = [...packed.values()].map((data) => Buffer.from(data));
    const name = packedRollupName(shape, tier);
    await inner.run(putPacked(name, { connection_id, database_name, hour: day, layout_id, columns }));
    const deleted = await inner.run(deleteRollups(rollupName(shape, tier), slice));
    if (deleted !== spans) throw new Error('rollups came in while their day was packed');
  });
}

/** Packs the rollups of all days that end before `before`; answers how many. */
export async function packDays(
  db: Database,
  engine: Engine,
  { shape, before, signal }: { shape: Shape; before: number; signal: AbortSignal | undefined },
): Promise<number> {
  if (numbersOf(shape).length === 0) return 0;
  let packed = 0;
  for (const tier of packedTiersOf(shape)) {
    const days = await db.rows<OpenDay>(openDays(engine, rollupName(shape, tier), dayOf(before)));
    await ensureDayPartitions(db, engine, {
      name: packedRollupName(shape, tier),
      days: days.map(({ day }) => day),
    });
    for (const open of days) {
      if (signal?.aborted) return packed;
      await packOne(db, { shape, tier, open });
      packed += 1;
    }
  }
  return packed;
}
