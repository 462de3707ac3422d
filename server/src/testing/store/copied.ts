// A datastore that holds metrics of every form, facts and an audit log, to be copied into others.
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { layoutOf, type TableLayout } from '../../store/layout/table-layout.ts';
import { checkTarget, copyStore } from '../../store/upkeep/copy.ts';
import { exportRows } from '../../store/upkeep/export.ts';
import { runMaintenance } from '../../store/upkeep/maintenance.ts';
import { type TestDatabase, testDatabase } from '../servers/database.ts';
import { buckets } from './buckets.ts';
import { keptRun, SERVER, TABLES, tableRow } from './kept-probes.ts';
import { installStandIn } from './store-extensions.ts';
import { items, run, type Storing, storing } from './storing.ts';

export const COPIED_PROBES = [SERVER, TABLES];
const layouts = COPIED_PROBES.map(layoutOf).filter((layout): layout is TableLayout => layout !== undefined);

type Target = Pick<TestDatabase, 'db'>;

/** What of a connection was stored, and when. */
interface Filled {
  id: number;
  begin: number;
  now: number;
}

async function fill(store: Storing): Promise<Filled> {
  const { now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  );
  const begin = Math.floor(now / HOUR_MS) * HOUR_MS - 30 * HOUR_MS;
  await runMaintenance({ db: store.db, probes: COPIED_PROBES });
  const id = await store.leased();
  await store.write(
    run(
      id,
      0,
      items(0, [
        { name: 'a', value: 'one\ttab\\' },
        { name: 'ü', value: null },
      ]),
    ),
  );
  const writer = store.writer({ probes: COPIED_PROBES });
  const collect = (at: number, n: number) => {
    const rows = [{ kind: 'k', reads: n * 7, load: n % 5, flags: ['x,y', '"'], details: { a: [n] } }];
    writer.add(keptRun(SERVER, { connection_id: id, at, rows }));
    const tables = [tableRow(1, { ins: n * 3 }), tableRow(2, { size: 8192 * (1 + (n % 3)) })];
    writer.add(keptRun(TABLES, { connection_id: id, at, rows: tables, database_name: 'shop' }));
  };
  for (let n = 0; n < 120; n += 1) collect(begin + n * 60_000, n);
  for (let n = 0; n < 5; n += 1) collect(now - (10 - n) * 60_000, 2000 + n);
  await writer.stop();
  await runCompaction({ db: store.db, layouts, now });
  await store.db.run(sql`
    insert into matriarch.audit_events (at, action) values (now(), 'test.one'), (now(), 'test.two')`);
  await store.db.run(sql`update matriarch.connection_leases set expires_at = now() - interval '1 minute'`);
  return { id, begin, now };
}

/** An empty datastore of that engine, for the time of a test. */
export async function emptyTarget(
  engine: 'plain' | 'citus' | 'timescaledb' = 'plain',
): Promise<TestDatabase> {
  const target = await testDatabase({ choosesEngine: true });
  onTestFinished(() => target.close());
  if (engine === 'citus') await installStandIn(target.db, engine, 'public');
  if (engine === 'timescaledb') await installStandIn(target.db, engine, 'elsewhere');
  expect((await openEngine(target.db)).name).toBe(engine);
  return target;
}

async function readAll({ db }: Target, { id, begin, now }: Filled) {
  const query = { connection_ids: [id], from: begin, to: now, buckets: 30 };
  const rows: unknown[] = [];
  for (const layout of layouts)
    for await (const row of exportRows(db, { layout, from: begin, to: now, connection_id: id }))
      rows.push(row);
  return {
    rows,
    rates: await buckets(db, { probe: SERVER, column: 'reads', aggregate: 'rate', ...query }),
    sizes: await buckets(db, { probe: TABLES, column: 'table_size', aggregate: 'max', ...query }),
    facts: await db.rows(sql`select * from metrics.facts order by item_key`),
    users: await db.rows(sql`select * from matriarch.users order by id`),
    audit: await db.rows(sql`select * from matriarch.audit_events order by id`),
  };
}

/** Begins before the tests of a file, and ends after them. */
export function copyTests() {
  let store: Storing;
  let filled: Filled;
  beforeAll(async () => {
    store = await storing(await testDatabase({ choosesEngine: true }));
    filled = await fill(store);
  });
  afterAll(() => store.close());
  return {
    source: () => store,
    /** The day of the first metrics. */
    firstDay: () => new Date(filled.begin).toISOString().slice(0, 10),
    copy: (target: Target, more: Partial<Parameters<typeof copyStore>[0]> = {}) =>
      copyStore({ source: store.db, target: target.db, ...more }),
    check: (target: Target) => checkTarget({ source: store.db, target: target.db }),
    readAll: (target: Target) => readAll(target, filled),
  };
}
