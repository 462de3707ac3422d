// Looks for what must never be in the store: old partitions, days to come that are missing, objects without a name,
// packed hours that cannot be unpacked or hold what is not theirs, rollups that do not say what their samples say.
// Guards: it changes nothing; rollups are made anew by the very function that made them, and rolled back.
import type { Database, Db } from '../../kernel/db.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { engineOf } from '../layout/engine/open.ts';
import { dayOf, type Engine } from '../layout/engine/types.ts';
import { datastoreNow } from '../layout/retention.queries.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { storeStatus } from './status.ts';
import { packedProblem, rollupProblem } from './verify-packed.ts';

export interface Check {
  what: string;
  /** Null: all is well. Otherwise what is wrong. */
  problem: string | null;
}

/** How many there are of something that should not be, as a sentence. */
const none = (n: number, what: string) => (n === 0 ? null : `${n} ${what}`);

async function unnamed(db: Db, table: string, kind: string): Promise<number> {
  const { n } = await db.one<{ n: number }>(sql`
    /* store.verify_names */
    select count(*) as n
    from (
      select distinct t.connection_id, u.object_id
      from metrics.${identifier(table)} t
      cross join lateral unnest(t.object_ids) as u (object_id)
    ) t
    left join metrics.objects o
      on o.connection_id = t.connection_id and o.object_id = t.object_id and o.kind = ${kind}
    where o.object_id is null`);
  return n;
}

export interface Verify {
  /** Those whose packed hours and rollups are looked into. */
  layouts?: readonly TableLayout[];
  engine?: Engine;
  /** Instead of the datastore's time, in milliseconds since the epoch. */
  now?: number;
}

async function partitionChecks(db: Db, { engine, now }: { engine: Engine; now: number }) {
  const { tables, tiers } = await storeStatus(db, { engine, now });
  const names = tables.map(({ table_name }) => table_name);
  const partitions = await engine.partitions(db, names);
  const checks: Check[] = [];
  for (const { table_name, overdue, layout, probe } of tables) {
    const days = new Set(partitions.filter(({ table }) => table === table_name).map(({ day }) => day));
    const ahead = [1, 2].filter((n) => !days.has(dayOf(now) + n * DAY_MS)).length;
    checks.push({
      what: `${table_name}: retention`,
      problem: none(overdue.length, 'partitions outlive their policy.'),
    });
    if (engine.makesAhead)
      checks.push({
        what: `${table_name}: days ahead`,
        problem: none(ahead, 'of the next two days have no partition.'),
      });
    if (layout === 'objects')
      checks.push({
        what: `${table_name}: names`,
        problem: none(await unnamed(db, table_name, probe), 'objects are not in the dictionary.'),
      });
  }
  for (const { table_name, overdue } of tiers)
    checks.push({
      what: `${table_name}: retention`,
      problem: none(overdue.length, 'partitions outlive their policy.'),
    });
  return { checks, tiers };
}

export async function verifyStore(db: Database, options: Verify = {}): Promise<Check[]> {
  const { engine = engineOf(db), layouts = [] } = options;
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  const { checks, tiers } = await partitionChecks(db, { engine, now });
  for (const layout of layouts) {
    const own = tiers.filter(({ probe }) => probe === layout.probe);
    const packed = own.find(({ tier }) => tier === 'packed');
    if (!packed) continue;
    checks.push({ what: `${packed.table_name}: contents`, problem: await packedProblem(db, layout) });
    if (own.length > 1)
      checks.push({
        what: `${layout.probe}: rollups`,
        problem: await rollupProblem(db, { layout, engine, now }),
      });
  }
  return checks;
}
