// A whole datastore copied into another one, of each engine, and read there; killed in the middle and started again;
// a row that somebody changed is found; targets that are in use, or hold anything else, are left alone.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { installStandIn } from '../../testing/store/store-extensions.ts';
import { items, run, type Storing, storing } from '../../testing/store/storing.ts';
import { runCompaction } from '../compact/compact.ts';
import { openEngine } from '../layout/engine/open.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { buckets } from '../read/buckets.ts';
import { exportRows } from '../read/export.ts';
import { checkTarget, copyStore } from './copy.ts';
import { runMaintenance } from './maintenance.ts';

const HOUR = 3_600_000;
const probes = [SERVER, TABLES];
const layouts = probes.map(layoutOf).filter((layout): layout is TableLayout => layout !== undefined);

let store: Storing;
let id: number;
let now: number;
let begin: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  begin = Math.floor(now / HOUR) * HOUR - 30 * HOUR;
  await runMaintenance({ db: store.db, probes });
  id = await store.leased();
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
  const writer = store.writer({ probes });
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
});
afterAll(() => store.close());

async function emptyTarget(engine: 'plain' | 'citus' | 'timescaledb' = 'plain'): Promise<TestDatabase> {
  const target = await testDatabase();
  onTestFinished(() => target.close());
  if (engine === 'citus') await installStandIn(target.db, engine, 'public');
  if (engine === 'timescaledb') await installStandIn(target.db, engine, 'elsewhere');
  expect((await openEngine(target.db)).name).toBe(engine);
  return target;
}

const copy = (target: TestDatabase, more: Partial<Parameters<typeof copyStore>[0]> = {}) =>
  copyStore({ source: store.db, target: target.db, ...more });

async function readAll({ db }: Pick<TestDatabase, 'db'>) {
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

describe.each(['plain', 'citus', 'timescaledb'] as const)('into %s', (engine) => {
  it('copies everything, which is then read there as it was', async () => {
    const target = await emptyTarget(engine);
    await checkTarget({ source: store.db, target: target.db });
    const compared = await copy(target);
    expect(compared.filter(({ is_same }) => !is_same)).toEqual([]);
    const rows = (name: RegExp) =>
      compared
        .filter(({ table, day }) => name.test(table) && day !== null)
        .reduce((total, one) => total + Number(one.target.rows), 0);
    for (const name of [/test_server$/, /test_server__packed/, /test_tables__packed/, /__m15p?$/, /__h1p?$/])
      expect(rows(name), String(name)).toBeGreaterThan(0);
    const there = await readAll(target);
    expect(there).toEqual(await readAll(store));
    expect(there.rows.length).toBeGreaterThan(200);
    expect(there.facts).toHaveLength(2);
    expect(there.audit).toHaveLength(2);
    // Whoever comes next gets a number of their own, and the audit log is guarded again.
    await target.db.run(sql`insert into matriarch.audit_events (at, action) values (now(), 'test.three')`);
    await expect(target.db.run(sql`delete from matriarch.audit_events`)).rejects.toThrow(
      'only ever added to',
    );
    const maintained = await runMaintenance({ db: target.db, probes });
    expect(maintained.problems).toEqual([]);
  });
});

it('goes on where it was interrupted, and writes nothing twice', async () => {
  const target = await emptyTarget();
  const killed = new AbortController();
  const first: string[] = [];
  const onPart = (name: string) => {
    first.push(name);
    if (/^metrics\.test_\w+ \d/.test(name)) killed.abort(new Error('killed'));
  };
  await expect(copy(target, { signal: killed.signal, onPart })).rejects.toThrow('killed');
  await checkTarget({ source: store.db, target: target.db });
  const second: string[] = [];
  const compared = await copy(target, { onPart: (name) => second.push(name) });
  expect(compared.filter(({ is_same }) => !is_same)).toEqual([]);
  expect(first.length).toBeGreaterThan(10);
  expect(second.length).toBeGreaterThan(0);
  expect(second.filter((name) => first.includes(name))).toEqual([]);
  const third: string[] = [];
  await copy(target, { onPart: (name) => third.push(name) });
  expect(third).toEqual([]);
});

it('leaves nothing of a part whose COPY fails, and both sides usable', async () => {
  const target = await emptyTarget();
  await target.db.run(sql`alter table metrics.facts add constraint no_such check (item_key = 'nobody')`);
  await expect(copy(target)).rejects.toThrow('no_such');
  expect(await target.db.rows(sql`select 1 from metrics.facts`)).toEqual([]);
  await target.db.run(sql`alter table metrics.facts drop constraint no_such`);
  expect((await copy(target)).filter(({ is_same }) => !is_same)).toEqual([]);
});

it('finds a row that was changed, with its table and day', async () => {
  const target = await emptyTarget();
  await copy(target);
  await target.db.run(sql`
    update metrics.test_server__packed set collected_at = collected_at + interval '1 microsecond'
    where collected_at = (select min(p.collected_at) from metrics.test_server__packed p)`);
  const different = (await copy(target)).filter(({ is_same }) => !is_same);
  const day = new Date(begin).toISOString().slice(0, 10);
  expect(different.map(({ table, day: of }) => [table, of])).toEqual([
    ['metrics.test_server__packed', day],
    ['metrics.test_server__packed', null],
  ]);
});

describe('refuses', () => {
  const check = (target: Pick<TestDatabase, 'db'>) => checkTarget({ source: store.db, target: target.db });

  it('the datastore itself', async () => {
    await expect(check(store)).rejects.toThrow('The target is the datastore itself.');
  });

  it('a target with accounts of its own, or with a copy of another datastore', async () => {
    const target = await emptyTarget();
    await check(target);
    await target.db.run(sql`insert into matriarch.users (username) values ('somebody')`);
    await expect(check(target)).rejects.toThrow('already holds accounts, connections or metrics of its own');
    const other = await emptyTarget();
    await copy(other);
    await check(other);
    await other.db.run(sql`update matriarch_copy.run set source = 'another'`);
    await expect(check(other)).rejects.toThrow('holds a copy of another datastore');
  });

  it('a target in use, and a source in use', async () => {
    const target = await emptyTarget();
    const start = sql`
      insert into matriarch.collectors (owner, expires_at) values ('runs', now() + interval '1 hour')`;
    await target.db.run(start);
    await expect(check(target)).rejects.toThrow('The target is in use by a running Matriarch.');
    await store.db.run(start);
    try {
      await expect(check(await emptyTarget())).rejects.toThrow('The datastore is in use');
    } finally {
      await store.db.run(sql`delete from matriarch.collectors where owner = 'runs'`);
    }
  });
});
