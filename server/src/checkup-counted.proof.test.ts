// What a checkup says of a server by what it has counted alone: deadlocks, sorts on disk, an index that was dropped, a table full of air,
// all made for real a moment ago; and that a fresh reset is neither exaggerated nor taken for health.
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Report } from './insight/checks/report.ts';
import { checkup, SHORT } from './testing/checkup-process.ts';
import { deadlock } from './testing/servers/deadlock.ts';
import type { TestCluster } from './testing/servers/postgres.ts';
import { MAJORS } from './testing/servers/postgres.ts';
import { replicatingServer } from './testing/servers/server-sets.ts';

const SINCE = /since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/;

async function work(server: TestCluster): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const one of [
    'create extension pg_stat_statements',
    "create table orders as select g as id, g % 30000 as customer, repeat('x', 100) as note from generate_series(1, 150000) g",
    'create index orders_customer on orders (customer)',
    "create table emptied as select g as id, repeat('x', 200) as note from generate_series(1, 500000) g",
    'delete from emptied where id % 10 <> 0',
    'vacuum analyze',
    'select pg_stat_statements_reset()',
  ])
    await client.query(one);
  const find = async (times: number) => {
    for (let n = 0; n < times; n += 1) await client.query('select id from orders where customer = $1', [n]);
  };
  await find(1000);
  await client.query('drop index orders_customer');
  await find(900);
  await client.query("set work_mem = '64kB'");
  for (let n = 0; n < 6; n += 1)
    await client.query(
      "select count(s) from (select g || repeat('x', 900) as s from generate_series(1, 450000) g order by -g) s",
    );
  await client.end();
  await deadlock(server, 26);
}

async function verdict(server: TestCluster): Promise<Report> {
  const { out, err } = await checkup([server.url, '--json', ...SHORT]);
  expect(err).toBe('');
  return JSON.parse(out);
}

let server: TestCluster;
beforeAll(async () => {
  server = await replicatingServer({ major: MAJORS.at(-1) ?? 18, settings: { autovacuum: false } });
  await work(server);
}, 300_000);
afterAll(() => server.stop());

it('warns of what was counted since the statistics began, and says since when', {
  timeout: 60_000,
}, async () => {
  const { findings } = await verdict(server);
  const of = (check: string) => findings.find((one) => one.check === check);
  expect(of('deadlocks')).toMatchObject({
    severity: 'warning',
    message: expect.stringMatching(/^26 deadlocks in /),
  });
  expect(of('temp_files_heavy')).toMatchObject({ severity: 'warning' });
  expect(of('temp_files_heavy')?.message).toMatch(/^Statements wrote [23]\.?\d* GB of temporary files in .+/);
  expect(of('statement_slower')).toMatchObject({ severity: 'warning' });
  expect(of('statement_slower')?.evidence.factor, of('statement_slower')?.message).toBeGreaterThan(50);
  expect(of('table_bloat')).toMatchObject({ severity: 'warning', object_name: 'public.emptied' });
  for (const check of ['deadlocks', 'temp_files_heavy', 'statement_slower', 'large_table_scans'])
    expect(of(check)?.message, check).toMatch(SINCE);
  const page = await checkup([server.url, ...SHORT]);
  expect(page.out).toMatch(/! Deadlocks/);
});

it('after a reset says what is counted too briefly, and nothing is well by that', {
  timeout: 60_000,
}, async () => {
  await server.query('select pg_stat_reset(), pg_stat_statements_reset()');
  const { findings, unknown } = await verdict(server);
  const names = findings.map(({ check }) => check);
  for (const check of ['deadlocks', 'temp_files_heavy', 'statement_slower'])
    expect(names).not.toContain(check);
  const briefly = unknown.filter(({ because }) => /have been counted for only .+, since 20/.test(because));
  const titles = briefly.flatMap(({ checks }) => checks);
  expect(titles).toEqual(expect.arrayContaining(['Deadlocks', 'Many temporary files']));
  expect(titles).toContain('Slower statement');
});
