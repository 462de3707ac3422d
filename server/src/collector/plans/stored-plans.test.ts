// Plans that pg_store_plans and pg_stat_plans count, read by a collector on a real server, with stand-ins of the two: each run is counted once,
// whatever ends in between, and no value of a statement is kept.
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { readPlans } from '../../plans/read.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import { connected, type Installed, installPlans, scanned } from '../../testing/plans/plan-extensions.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { catalog } from '../../testing/servers/probing.ts';

const SECRET = 'hunter2-in-the-plan';
const MON = { username: 'mon', password: 'mon' };
const PLANS = {
  probes: catalog.filter((probe) => probe.plans !== undefined || probe.name === 'pg_connectivity'),
};
const INDEX = scanned('Index Scan using orders_note on orders', `note = '${SECRET}'::text`);
const SEQ = scanned('Seq Scan on orders', `note = '${SECRET}'::text`);

const rowsOf = ({ db }: Collecting, id: number) =>
  db.rows<Record<string, unknown>>(sql`
    select p.* from matriarch.query_plans p where p.connection_id = ${id} order by p.id`);

async function scene(installed: Installed) {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query("create role mon login password 'mon'; grant pg_monitor to mon");
  const { database = 'postgres', schema = 'public' } = installed;
  if (database !== 'postgres') await server.query(`create database ${database}`);
  await installPlans(server, installed);
  const client = await connected(server, database);
  onTestFinished(() => client.end());
  await client.query(`set search_path = "${schema}"`);
  await client.query(`grant usage on schema "${schema}" to mon`);
  const house = await newHouse();
  const id = await house.connect(server, MON);
  const readings = async () => {
    const [row] = await house.db.rows<{ reading: number }>(sql`
      select c.reading::int as reading from matriarch.plan_counters c where c.connection_id = ${id}`);
    return row?.reading ?? 0;
  };
  const read = async () => {
    const before = await readings();
    // One may have been under way.
    await pollMoved(house, readings, 400).toBeGreaterThan(before + 1);
  };
  const reason = async () => (await house.snapshot(id, installed.name, 'postgres'))?.reason ?? '';
  return { server, client, house, id, read, reason, rows: () => rowsOf(house, id) };
}

const INTO_STORE = `insert into of_store select 10, d.oid, $1::int8, $2::int8, $3, $4::int8, $5::float8, $6::float8, $4::int8 * 2, $4::int8 * 10,
  now() - $7::interval, now() from pg_database d where d.datname = 'postgres'`;

it('pg_store_plans: runs are counted by shape, once, through restarts, resets and evictions', async () => {
  const { client, house, id, read, rows } = await scene({
    name: 'pg_store_plans',
    version: '1.9',
    database: 'other',
    schema: 'Of plans',
  });
  await client.query(INTO_STORE, ['4711', '1', INDEX, 1000, 5000, 50, '1 day']);
  const collector = house.start(PLANS);
  await read();
  // What ran before the first look is shown, and counted as nothing.
  expect(await rows()).toMatchObject([
    {
      source: 'pg_store_plans',
      database_name: 'postgres',
      statement_key: '4711',
      logged: 0,
      last_logged: null,
      worst_ms: null,
      nodes: 2,
    },
  ]);
  await client.query(
    'update of_store set calls = 1010, total_time = 5040, rows = 2020, hit = 10100, last_call = now()',
  );
  await read();
  expect(await rows()).toMatchObject([
    {
      logged: 10,
      planned: 0,
      total_ms: 40,
      worst_ms: 50,
      analyzed: 10,
      total_rows: 20,
      buffered: 10,
      hit_blocks: 100,
      read_blocks: 0,
    },
  ]);
  await collector.stop();
  await client.query('update of_store set calls = 1015, total_time = 5060');
  // Born while nobody looked.
  await client.query(INTO_STORE, ['4711', '2', SEQ, 7, 700, 200, '1 second']);
  house.start(PLANS);
  await read();
  await read();
  expect(await rows()).toMatchObject([
    { logged: 15, total_ms: 60 },
    { logged: 7, total_ms: 700, worst_ms: 200, outline: 'Aggregate (Seq Scan on orders)', since_logged: 7 },
  ]);
  await client.query('select pg_store_plans_reset()');
  await read();
  await client.query(INTO_STORE, ['4711', '2', SEQ, 9, 900, 100, '0 seconds']);
  await read();
  expect(await rows()).toMatchObject([{ logged: 15 }, { logged: 16, total_ms: 1600, worst_ms: 200 }]);
  // Evicted and back with more calls than it had, and its number of another role of the same shape.
  await client.query(
    "update of_store set calls = 20, total_time = 2000, first_call = now() + interval '1 millisecond'",
  );
  await client.query(INTO_STORE.replace('select 10', 'select 11'), [
    '4711',
    '2',
    SEQ,
    4,
    400,
    100,
    '0 seconds',
  ]);
  await read();
  expect(await rows()).toMatchObject([{ logged: 15 }, { logged: 40, total_ms: 4000 }]);
  const text = JSON.stringify([
    await rows(),
    await house.db.rows(sql`select c.* from matriarch.plan_counters c`),
    await house.snapshots(id),
  ]);
  const [counters] = await house.db.rows<{ items: Record<string, unknown>[] }>(
    sql`select c.items from matriarch.plan_counters c`,
  );
  expect(counters?.items.map(({ shape }) => Object.keys(Object(shape)).length)).toEqual([3, 3]);
  expect(text).toContain('orders_note');
  expect(text).not.toContain(SECRET);
  const [index] = await rows();
  expect(readPlans(String(index?.example))[0]).toMatchObject({
    plan_hash: index?.plan_hash,
    query_text: null,
  });
});

const INTO_STAT = `insert into of_stat select 10, d.oid, true, 4711, $1::int8, $2::int8, $3::float8, $4 from pg_database d where d.datname = 'postgres'`;
const bare = (text: string) => text.replaceAll(/ {2}\(cost.*/g, '');

it('pg_stat_plans: runs are counted by shape, once, and a plan that comes back counts anew', async () => {
  const { client, house, read, rows } = await scene({
    name: 'pg_stat_plans',
    version: '2.0',
    schema: 'monitoring',
  });
  await client.query(INTO_STAT, ['1', 100, 100, bare(INDEX)]);
  house.start(PLANS);
  await read();
  await client.query('update of_stat set calls = 103, total_exec_time = 112');
  await client.query(INTO_STAT, ['2', 5, 50, bare(SEQ)]);
  await read();
  expect(await rows()).toMatchObject([
    { source: 'pg_stat_plans', logged: 3, total_ms: 12, analyzed: 0, buffered: 0, worst_ms: null },
    { logged: 5, total_ms: 50, since_logged: 5 },
  ]);
  await client.query('update of_stat set calls = 2, total_exec_time = 4 where planid = 1');
  await client.query('delete from of_stat where planid = 2');
  await read();
  await client.query(INTO_STAT, ['2', 8, 80, bare(SEQ)]);
  await read();
  const found = await rows();
  expect(found).toMatchObject([
    { logged: 5, total_ms: 16 },
    { logged: 13, total_ms: 130 },
  ]);
  expect(JSON.stringify(found)).not.toContain(SECRET);
});

it('hostile texts and many plans: what cannot be read is left out, the dearest plans come first', async () => {
  const { client, house, id, read, rows } = await scene({ name: 'pg_store_plans', version: '1.9' });
  await client.query("alter role mon set pg_store_plans.plan_format = 'raw'");
  house.start(PLANS);
  await read();
  const texts = [
    `{"Plan": {"short": "Seq Scan", "Relation Name": "a\\u0000b\\ud800", "Filter": "(note = '${SECRET}')"}}`,
    `{"Plan": {"short": "Seq Scan", "Relation Name": `,
    '<insufficient privilege>',
    '',
    `Seq Scan on orders\n  Filter: (note = '${'x'.repeat(10_000_000)}')`,
    '['.repeat(50_000),
  ];
  await client.query('begin');
  // One that keeps the server from returning any is found out and left out.
  await client.query(INTO_STORE, ['99', '1', 'foreign', 1, 1e7, 1, '0 seconds']);
  for (const [n, text] of texts.entries())
    await client.query(INTO_STORE, [`${n + 1}`, '1', text, 1, 1e6, 1, '0 seconds']);
  await client.query(
    `insert into of_store select 10, d.oid, g, g, 'Seq Scan on t' || g, 10, g, 1, 1, 1, now(), now()
     from generate_series(100, 5099) g, pg_database d where d.datname = 'postgres'`,
  );
  await client.query('commit');
  const keys = async () => (await rows()).map(({ statement_key }) => Number(statement_key));
  await pollMoved(house, async () => (await keys()).length, 200).toBeGreaterThan(20);
  const some = await keys();
  expect(some.filter((key) => key < 100)).toEqual([1]);
  expect(Math.max(...some)).toBe(5099);
  expect(Math.min(...some.slice(1))).toBe(5101 - some.length);
  expect(JSON.stringify(await rows())).not.toContain(SECRET);
  expect((await house.snapshot(id, 'pg_store_plans', 'postgres'))?.reason).toMatch(/1,?000/);
});

it('says what is hidden, what is too old and what is closed, and costs a server without them nothing', async () => {
  const hidden = await scene({ name: 'pg_store_plans', version: '1.5' });
  await hidden.client.query('revoke pg_monitor from mon');
  await hidden.client.query(INTO_STORE, ['4711', '1', INDEX, 1, 1, 1, '1 day']);
  const other = await hidden.house.connect(hidden.server);
  hidden.house.start(PLANS);
  await pollMoved(hidden.house, hidden.reason, 200).toContain('Values of others are hidden from the role');
  expect((await hidden.house.snapshot(hidden.id, 'pg_store_plans', 'postgres'))?.mend).toBe(
    'grant pg_read_all_stats to mon;',
  );
  await pollMoved(hidden.house, () => rowsOf(hidden.house, other), 200).toMatchObject([
    { statement_key: '4712' },
  ]);
  expect(await hidden.rows()).toEqual([]);

  const old = await scene({ name: 'pg_stat_plans', version: '1.0' });
  old.house.start(PLANS);
  await pollMoved(old.house, old.reason, 200).toContain(
    'The column queryid of pg_stat_plans of the extension pg_stat_plans',
  );
  // Of an extension that is not there nothing is asked.
  expect(await old.house.snapshot(old.id, 'pg_store_plans', 'postgres')).toMatchObject({
    ...{ outcome: 'skipped', cause: 'not_applicable', took_ms: null, mend: null },
  });
  await old.server.query('drop extension pg_stat_plans');
  await installPlans(old.server, { name: 'pg_stat_plans', version: '2.0', schema: 'closed' });
  await pollMoved(old.house, old.reason, 400).toContain('closed');
});
