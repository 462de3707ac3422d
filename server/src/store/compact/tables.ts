// The tables of packed hours and rollups: made from the declarations, partitions on demand, dropped by their own
// retention. A day of raw rows that is all packed is dropped as well, so that deleting leaves no bloat behind.
import type { Database, Db } from '../../kernel/db.ts';
import { boundsOf, DAY_MS, type Engine } from '../engine/types.ts';
import type { MetricTable, Shape } from '../shapes.ts';
import { numbersOf, packedTable, rollupTable, tiersOf } from '../tiers.ts';
import { isEmpty, lockPartition, registerTier, type TierTable, tableColumns } from './compact.queries.ts';

interface Wanted {
  table: MetricTable;
  tier: TierTable['tier'];
  retention_days: number;
}

function wantedOf(shape: Shape): Wanted[] {
  const rollups = numbersOf(shape).length === 0 ? [] : tiersOf(shape);
  return [
    { table: packedTable(shape), tier: 'packed', retention_days: shape.retentionDays },
    ...rollups.map((tier) => ({
      table: rollupTable(shape, tier),
      tier: tier.name,
      retention_days: Math.max(tier.retentionDays, shape.retentionDays),
    })),
  ];
}

/** Makes what is missing. */
export async function ensureTierTables(db: Database, shape: Shape, engine: Engine): Promise<void> {
  for (const { table, tier, retention_days } of wantedOf(shape)) {
    const rows = await db.rows<{ name: string }>(tableColumns(table.name));
    const there = new Set(rows.map(({ name }) => name));
    const missing = table.columns.filter(({ name }) => !there.has(name));
    await db.transaction(async (inner) => {
      if (there.size === 0) await engine.createTable(inner, table);
      else if (missing.length > 0) await engine.addColumns(inner, table, missing);
      await inner.run(registerTier({ table_name: table.name, probe: shape.probe, tier, retention_days }));
    });
  }
}

/** Partitions for everything between the two moments (ms since the epoch). */
export async function ensurePlaces(
  db: Db,
  engine: Engine,
  { shape, from, to }: { shape: Shape; from: number; to: number },
): Promise<void> {
  for (const { table } of wantedOf(shape)) {
    const known = new Set((await engine.partitions(db, [table.name])).map(({ day }) => day));
    for (let at = from; at < to; at = boundsOf(table.name, at).to) {
      const { from: begin } = boundsOf(table.name, at);
      if (!known.has(begin)) await engine.makePartition(db, table.name, begin);
    }
  }
}

/** Drops what is beyond its retention; answers how many partitions went. */
export async function dropExpired(
  db: Db,
  engine: Engine,
  { tables, now }: { tables: readonly TierTable[]; now: number },
): Promise<number> {
  let dropped = 0;
  for (const { table_name, retention_days } of tables)
    for (const partition of await engine.partitions(db, [table_name])) {
      if (boundsOf(table_name, partition.day).to > now - retention_days * DAY_MS) continue;
      await engine.dropPartition(db, partition);
      dropped += 1;
    }
  return dropped;
}

/** Drops raw days before `before` whose rows are all packed. Late rows make their day anew. */
export async function dropEmptied(
  db: Database,
  engine: Engine,
  { shape, before }: { shape: Shape; before: number },
): Promise<number> {
  let dropped = 0;
  for (const partition of await engine.partitions(db, [shape.table.name])) {
    if (partition.day + DAY_MS > before) continue;
    const { empty } = await db.one<{ empty: boolean }>(isEmpty(partition.name));
    if (!empty) continue;
    await db.transaction(async (inner) => {
      await inner.run(lockPartition(partition.name));
      // Somebody may have written since.
      const still = await inner.one<{ empty: boolean }>(isEmpty(partition.name));
      if (!still.empty) return;
      await engine.dropPartition(inner, partition);
      dropped += 1;
    });
  }
  return dropped;
}
