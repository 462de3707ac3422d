// A day of a server, as the writer and compaction left it, for each of the days before it, so that a bench of a month begins within
// minutes: packed hours and packed days of rollups move back in time as they are, but for the times that they hold. Guards: what
// was before that day gives way, so that no day is half one and half the other.
import type { Database } from '../kernel/db.ts';
import { identifier, join, sql } from '../kernel/sql.ts';
import { DAY_MS } from '../kernel/units.ts';
import { ensurePartitions } from '../store/compact/tables.ts';
import { decodeColumn, encodeColumn } from '../store/format/codec.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import type { TableLayout } from '../store/layout/table-layout.ts';
import {
  isByClass,
  packedName,
  packedRollupName,
  packedTiersOf,
  rollupName,
  tiersOf,
} from '../store/layout/tiers.ts';

interface PackedRow {
  connection_id: number;
  layout_id: number;
  names: string[];
  at: number;
  database_name: string;
  columns: Buffer[];
}

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

/** Its times in units of `perMs`, so many milliseconds earlier. */
function earlier({ names, columns }: PackedRow, ms: number, perMs: number): Buffer[] {
  return columns.map((data, index) => {
    const name = names[index];
    if (name !== '@at' && name !== '@since') return data;
    const moved = decodeColumn(data).map((cell) => (cell === null ? null : Number(cell) - ms * perMs));
    return Buffer.from(encodeColumn('whole', moved));
  });
}

async function copyPacked(
  db: Database,
  of: { name: string; perMs: number; day: number; days: number },
): Promise<void> {
  const { name, perMs, day, days } = of;
  const table = sql`metrics.${identifier(name)}`;
  await db.run(sql`delete from ${table} where collected_at < ${timeOf(day)}`);
  const rows = await db.rows<PackedRow>(sql`
    select t.connection_id, t.layout_id, l.names, t.database_name, t.columns,
      (extract(epoch from t.collected_at) * 1000)::double precision as at
    from ${table} t
    join matriarch.packed_layouts l using (layout_id)
    where t.collected_at >= ${timeOf(day)} and t.collected_at < ${timeOf(day + DAY_MS)}`);
  for (const row of rows)
    for (let back = 1; back <= days; back += 1)
      await db.run(sql`
        insert into ${table} (connection_id, layout_id, collected_at, database_name, columns)
        values (${row.connection_id}, ${row.layout_id}, ${timeOf(row.at - back * DAY_MS)}, ${row.database_name},
          ${earlier(row, back * DAY_MS, perMs)}::bytea[])`);
}

/** Rollups that are not packed. */
async function copyRows(db: Database, of: { name: string; day: number; days: number }): Promise<void> {
  const { name, day, days } = of;
  const table = sql`metrics.${identifier(name)}`;
  const columns = await db.rows<{ name: string }>(sql`
    select a.attname::text as name
    from pg_attribute a
    where a.attrelid = ${`metrics.${name}`}::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> 'collected_at'`);
  const own = join(
    columns.map((column) => identifier(column.name)),
    sql`, `,
  );
  await db.run(sql`delete from ${table} where collected_at < ${timeOf(day)}`);
  await db.run(sql`
    insert into ${table} (collected_at, ${own})
    select t.collected_at - back * interval '1 day', ${own}
    from ${table} t
    cross join generate_series(1, ${days}::integer) as back
    where t.collected_at >= ${timeOf(day)} and t.collected_at < ${timeOf(day + DAY_MS)}`);
}

/** `day` (milliseconds since the epoch) is packed as a whole, and its rollups are. */
export async function copyDays(
  db: Database,
  of: { layout: TableLayout; day: number; days: number },
): Promise<void> {
  const { layout, day, days } = of;
  const engine = await openEngine(db);
  await ensurePartitions(db, engine, { layout, from: day - days * DAY_MS, to: day });
  await copyPacked(db, { name: packedName(layout), perMs: 1000, day, days });
  for (const tier of packedTiersOf(layout))
    await copyPacked(db, { name: packedRollupName(layout, tier), perMs: 1, day, days });
  const kept = isByClass(layout) ? tiersOf(layout).filter(({ name }) => name !== 'm1') : [];
  for (const tier of kept) await copyRows(db, { name: rollupName(layout, tier), day, days });
}
