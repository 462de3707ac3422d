// matriarch store copy as a process that is killed (kill -9) at several points and started again: it ends with both sides
// the same, no part is written twice, and the URL of the target, which holds a password, is neither printed nor among
// the arguments that other users can see.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { DAY_MS } from '../kernel/units.ts';
import { runMaintenance } from '../store/upkeep/maintenance.ts';
import { type Child, startChild } from '../testing/child.ts';
import { script } from '../testing/program.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../testing/store/kept-probes.ts';
import { items, run, type Storing, storing } from '../testing/store/storing.ts';

const probes = [SERVER, TABLES];

let store: Storing;
beforeAll(async () => {
  store = await storing();
  await runMaintenance({ db: store.db, probes });
  const id = await store.leased();
  await store.write(run(id, 0, items(0, [{ name: 'a', value: 'one' }])));
  const writer = store.writer({ probes });
  const now = systemClock.now();
  for (let n = 0; n < 40; n += 1) {
    const at = now - (n % 3) * DAY_MS - n * 60_000;
    writer.add(keptRun(SERVER, { connection_id: id, at, rows: [{ kind: 'k', reads: n }] }));
    writer.add(
      keptRun(TABLES, { connection_id: id, at, rows: [tableRow(1, { ins: n })], database_name: 'shop' }),
    );
  }
  await writer.stop();
  await store.db.run(sql`update matriarch.connection_leases set expires_at = now() - interval '1 minute'`);
  return () => store.close();
});

function begin(target: TestDatabase): Child {
  const child = startChild({
    script,
    args: ['store', 'copy', '--datastore-url', store.url.reveal(), '--data-dir', testDirectory('copy')],
    env: { MATRIARCH_STORE_COPY_TARGET_URL: target.url.reveal() },
  });
  onTestFinished(async () => {
    await child.kill('SIGKILL');
  });
  return child;
}

const copiedBy = (child: Child) => child.errors().match(/^Copied .*(?=: \d+ rows)/gm) ?? [];
const PATIENCE = { timeout: 60_000, interval: 20 };

it('killed anywhere, started again: everything once, and the same on both sides', {
  timeout: 300_000,
}, async () => {
  const target = await testDatabase();
  onTestFinished(() => target.close());
  const all: string[] = [];

  // After so many parts, wherever it is by the time the signal comes.
  for (const parts of [1, 5, 12]) {
    const child = begin(target);
    await expect.poll(() => copiedBy(child).length, PATIENCE).toBeGreaterThanOrEqual(parts);
    await child.kill('SIGKILL');
    all.push(...copiedBy(child));
  }

  // In the middle of a part: its transaction is open, and its rows wait for a table that somebody else has locked.
  const [held] = await target.db.rows<{ name: string }>(sql`
    select c.relname as name from pg_class c
    where c.relnamespace = 'metrics'::regnamespace and c.relkind = 'r' and not c.relispartition
      and not exists (select from matriarch_copy.parts p where p.name = 'metrics.' || c.relname)
    order by c.relname desc limit 1`);
  expect(held).toBeDefined();
  await target.db.withClient(async (client) => {
    await client.query(`begin; lock table metrics.${held?.name} in share mode`);
    const child = begin(target);
    const waiting = () =>
      client.query(`select from pg_locks where not granted and relation = 'metrics.${held?.name}'::regclass`);
    await expect.poll(async () => (await waiting()).rowCount, PATIENCE).toBe(1);
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain(target.name);
    await child.kill('SIGKILL');
    all.push(...copiedBy(child));
    await client.query('rollback');
  });

  const last = begin(target);
  expect(await last.ended).toBe(0);
  expect(last.errors()).toMatch(/^Both sides are the same\.$/m);
  expect(copiedBy(last).length).toBeGreaterThan(0);
  expect(last.errors()).not.toContain(target.name);
  all.push(...copiedBy(last));
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  const parts = await target.db.one<{ n: number }>(sql`select count(*) as n from matriarch_copy.parts`);
  expect(parts.n).toBeGreaterThanOrEqual(all.length);
  for (const table of [sql`metrics.test_server`, sql`metrics.test_tables__ticks`, sql`metrics.facts`]) {
    const count = sql`select count(*) as n from ${table}`;
    const { n } = await target.db.one<{ n: number }>(count);
    expect(n).toBe((await store.db.one<{ n: number }>(count)).n);
    expect(n).toBeGreaterThan(0);
  }
});
