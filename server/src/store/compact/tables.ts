// The tables of packed hours and rollups: made from the declarations, partitions on demand, dropped by their own
// retention. A day of raw rows that is all packed is dropped as well, so that deleting leaves no bloat behind.
import type { Database, Db } from '../../kernel/db.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { boundsOf, type Engine, type Partition } from '../layout/engine/types.ts';
import { expired, type Retentions, SAMPLES_LEAST_DAYS } from '../layout/retention.ts';
import type { MetricTable, TableLayout } from '../layout/table-layout.ts';
import type { Lacking } from '../layout/tables.ts';
import { registerTier, type TierTable, tableColumns, tierTables } from '../layout/tier-tables.queries.ts';
import {
  isByClass,
  isMadeLate,
  numbersOf,
  packedRollupTable,
  packedTable,
  packedTiersOf,
  rollupName,
  rollupTable,
  type Tier,
  tiersOf,
} from '../layout/tiers.ts';

interface TableSpec {
  table: MetricTable;
  tier: TierTable['tier'];
  retention_days: number;
  names_objects: boolean;
}

const PACKED = { m1: 'packed', m15: 'm15p', h1: 'h1p' } as const;

function wantedOf(layout: TableLayout): TableSpec[] {
  const isRolledUp = numbersOf(layout).length > 0;
  const kept = (tier: Tier) => ({
    retention_days: Math.max(tier.retentionDays, layout.retentionDays),
    names_objects: !isByClass(layout),
  });
  const rollups = tiersOf(layout).map((tier) => ({
    table: rollupTable(layout, tier),
    tier: tier.name,
    ...kept(tier),
  }));
  const packed = packedTiersOf(layout).map((tier) => ({
    table: packedRollupTable(layout, tier),
    tier: PACKED[tier.name],
    ...kept(tier),
  }));
  return [
    { table: packedTable(layout), tier: 'packed', retention_days: layout.retentionDays, names_objects: true },
    ...(isRolledUp ? [...rollups, ...packed] : []),
  ];
}

/** Tables that are there, with their columns, and how each is registered. */
export interface TierTablesThere {
  columns: ReadonlyMap<string, ReadonlySet<string>>;
  registered: ReadonlyMap<string, TierTable>;
}

/** Until when the hours of a tier are made hour by hour: as far as it was made if it is made late, without an end otherwise. */
export const madeUntil =
  (layout: TableLayout, { registered }: Pick<TierTablesThere, 'registered'>) =>
  (tier: Tier): number =>
    isMadeLate(layout, tier)
      ? (registered.get(rollupName(layout, tier))?.filled_until ?? -Infinity)
      : Infinity;

/** In two statements for all layouts. */
export async function readTierTables(db: Db, layouts: readonly TableLayout[]): Promise<TierTablesThere> {
  const names = layouts.flatMap((layout) => wantedOf(layout).map(({ table }) => table.name));
  const there = await db.rows<{ table_name: string; columns: string[] }>(tableColumns(names));
  const registered = await db.rows<TierTable>(tierTables);
  return {
    columns: new Map(there.map(({ table_name, columns }) => [table_name, new Set(columns)])),
    registered: new Map(registered.map((one) => [one.table_name, one])),
  };
}

/** Of tables that are there, what they lack. */
export const missingTierColumns = (
  { columns: known }: TierTablesThere,
  layouts: readonly TableLayout[],
): (Lacking & { columns: readonly string[] })[] =>
  layouts.flatMap((layout) =>
    wantedOf(layout).flatMap(({ table }) => {
      const there = known.get(table.name);
      const columns = there ? table.columns.filter(({ name }) => !there.has(name)) : [];
      return columns.length === 0
        ? []
        : [{ probe: layout.probe, table: table.name, columns: columns.map(({ name }) => name) }];
    }),
  );

/** Makes and registers what is missing, and writes nothing where nothing is. */
export async function ensureTierTables(
  db: Database,
  engine: Engine,
  { layout, there }: { layout: TableLayout; there: TierTablesThere },
): Promise<void> {
  const { probe } = layout;
  for (const { table, ...of } of wantedOf(layout)) {
    const columns = there.columns.get(table.name);
    const missing = table.columns.filter(({ name }) => !columns?.has(name));
    const known = there.registered.get(table.name);
    const isRegistered =
      known?.retention_days === of.retention_days && known.names_objects === of.names_objects;
    if (columns && missing.length === 0 && isRegistered) continue;
    await db.transaction(async (inner) => {
      if (!columns) await engine.createTable(inner, table);
      else if (missing.length > 0) await engine.addColumns(inner, table, missing);
      await inner.run(registerTier({ table_name: table.name, probe, ...of }));
    });
  }
}

/** Partitions for everything between the two moments (ms since the epoch). */
export async function ensurePartitions(
  db: Db,
  engine: Engine,
  { layout, from, to }: { layout: TableLayout; from: number; to: number },
): Promise<void> {
  if (!engine.makesAhead) return;
  const names = wantedOf(layout).map(({ table }) => table.name);
  const known = new Set((await engine.partitions(db, names)).map(({ table, day }) => `${table} ${day}`));
  for (const name of names)
    for (let at = from; at < to; at = boundsOf(name, at).to) {
      const { from: begin } = boundsOf(name, at);
      if (!known.has(`${name} ${begin}`)) await engine.makePartition(db, name, begin);
    }
}

/** Partitions of one table for these days. */
export async function ensureDayPartitions(
  db: Db,
  engine: Engine,
  { name, days }: { name: string; days: readonly number[] },
): Promise<void> {
  const wanted = new Set(days.map((day) => boundsOf(name, day).from));
  if (wanted.size === 0 || !engine.makesAhead) return;
  const known = new Set((await engine.partitions(db, [name])).map(({ day }) => day));
  for (const begin of wanted) if (!known.has(begin)) await engine.makePartition(db, name, begin);
}

/** Drops what is beyond its retention; answers how many partitions went. */
export async function dropExpired(
  db: Db,
  engine: Engine,
  { tables, retentions, now }: { tables: readonly TierTable[]; retentions: Retentions; now: number },
): Promise<number> {
  let dropped = 0;
  const names = tables.map(({ table_name }) => table_name);
  const all = Map.groupBy(await engine.partitions(db, names), ({ table }) => table);
  for (const { table_name, probe, tier, retention_days } of tables) {
    const days = retentions.longest({
      probe,
      retention_days,
      least_days: tier === 'packed' ? SAMPLES_LEAST_DAYS : retention_days,
    });
    for (const partition of expired(all.get(table_name) ?? [], days, now)) {
      await engine.dropPartition(db, partition);
      dropped += 1;
    }
  }
  return dropped;
}

/** Tables of which partitions become empty when all of their rows are packed. */
const emptiedOf = (layout: TableLayout): string[] => [
  layout.table.name,
  ...packedTiersOf(layout).map((tier) => rollupName(layout, tier)),
];

/** Partitions of all that packing empties. */
export const emptiedPartitions = (
  db: Db,
  engine: Engine,
  layouts: readonly TableLayout[],
): Promise<Partition[]> => engine.partitions(db, layouts.flatMap(emptiedOf));

/** Drops raw days, and months of rollups, before `before` whose rows are all packed. Late rows make theirs anew. */
export async function dropEmptied(
  db: Database,
  engine: Engine,
  { layout, before, partitions }: { layout: TableLayout; before: number; partitions: readonly Partition[] },
): Promise<number> {
  let dropped = 0;
  const names = new Set(emptiedOf(layout));
  for (const partition of partitions) {
    if (!names.has(partition.table)) continue;
    // A rollup's late rows come while its last day is packed; a day later nobody writes there.
    const slack = partition.table === layout.table.name ? 0 : DAY_MS;
    if (partition.until + slack > before) continue;
    if (await engine.dropIfEmpty(db, partition)) dropped += 1;
  }
  return dropped;
}
