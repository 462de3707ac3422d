// Behind a pooler the sessions of a server belong to applications. Whatever is collected, tested and asked there, they find them as they
// left them: settings, prepared statements, locks and temporary objects.
import { once } from 'node:events';
import net from 'node:net';
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { testTarget } from '../estate/connections/connection-test.ts';
import { TEST_STEPS } from '../estate/connections/connections.schemas.ts';
import { StatementParser } from '../kernel/parser/parser.ts';
import { connectTarget, type TargetSettings, type TextClient } from '../monitored/connect.ts';
import { explainStatement, prepareOnly, readRows } from '../monitored/read-only-sql/read.ts';
import { runWritable } from '../monitored/read-only-sql/write.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import {
  hasPooler,
  POOLER,
  type Pooler,
  type PoolerOptions,
  startPooler,
} from '../testing/servers/pooler.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { testSettings } from '../testing/servers/target.ts';

const APP = { username: 'app', password: 'app', database: 'app' };
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function scene(pool_mode: PoolerOptions['pool_mode'], settings: readonly string[] = []) {
  const cluster = await startCluster({ settings: { max_prepared_transactions: 2 } });
  opened.push(cluster);
  await cluster.query(`create role app login password 'app'`);
  await cluster.query('grant pg_monitor to app');
  await cluster.query('create database app owner app');
  const pooler = await startPooler({ ...APP, port: cluster.port, pool_mode, settings });
  opened.push(pooler);
  return { cluster, pooler };
}

const settingsOf = ({ host, port }: Pooler, over: Partial<TargetSettings> = {}) =>
  testSettings(
    { host, port, superuser: 'app', password: 'app' },
    { database: 'app', ssl_mode: 'disable', ...over },
  );

/** What an application can see of the session that it has. The settings of PL/pgSQL are there once a function of it was called. */
const SEEN = `select
  pg_backend_pid() as pid,
  (select json_object_agg(s.name, s.setting order by s.name) from pg_settings s
    where s.name <> 'application_name' and s.name not like 'plpgsql.%') as settings,
  (select coalesce(json_agg(s.name order by s.name), '[]') from pg_settings s where s.source = 'session') as changed,
  (select count(*) from pg_prepared_statements)::int as prepared,
  (select count(*) from pg_cursors)::int as cursors,
  (select count(*) from pg_locks where locktype = 'advisory')::int as locks,
  (select count(*) from pg_class where relpersistence = 't')::int as temporary,
  current_user::text as role`;

async function seenBy(application: pg.Client) {
  const { rows } = await application.query<Record<string, unknown>>(SEEN);
  return rows[0] ?? {};
}

async function collectOver(pooler: Pooler, cluster: TestCluster): Promise<string> {
  const house = await newHouse();
  const server = { host: pooler.host, port: pooler.port, superuser: 'app', password: 'app' };
  const id = await house.connect(server, { database: 'app', username: 'app', password: 'app' });
  const collector = house.start();
  await pollMoved(house, async () => {
    const ran = (await house.snapshots(id)).filter(({ outcome }) => outcome === 'ran');
    return ran.length;
  }).toBeGreaterThan(25);
  // The pooler knows no other database.
  const own = (await house.snapshots(id)).filter(({ database_name }) => database_name !== 'postgres');
  const failed = own.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ probe, reason }) => `${probe}: ${reason}`)).toEqual([]);
  const { reason } = (await house.snapshot(id, 'pg_connectivity')) ?? {};
  await collector.stop();
  expect(await cluster.query('select 1 as one')).toEqual([{ one: 1 }]);
  return String(reason);
}

/** A function of theirs whose effect is in no statement that calls it. */
const LEAVES = `create function leaves() returns void language plpgsql as $$ begin
  perform pg_advisory_lock(9), pg_advisory_lock_shared(-9), pg_advisory_lock(-1, 2), pg_advisory_lock_shared(3, -4);
  execute 'prepare "left ""there" as select 1';
end $$`;

async function askOver(pooler: Pooler): Promise<void> {
  const parser = new StatementParser();
  const within = async (work: (client: TextClient) => Promise<unknown>) => {
    const client = await connectTarget(
      settingsOf(pooler, { session: { default_transaction_read_only: 'on', lock_timeout: '2000' } }),
    );
    expect(client.way).toBe('pooled');
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  const optionsOf = (client: TextClient) => ({ client, parser, timeout_ms: 5000, allow_superuser: false });
  const wishes = { analyze: false, buffers: false, format: 'text' } as const;
  try {
    expect(
      await within((client) => readRows(optionsOf(client), { text: 'select 7 as n', limit: 5, offset: 0 })),
    ).toMatchObject({ rows: [['7']] });
    await within((client) => prepareOnly(optionsOf(client), 'select $1::int4'));
    await within((client) => explainStatement(optionsOf(client), 'select $1::int4', wishes));
    await expect(
      within((client) => explainStatement(optionsOf(client), 'select * from nowhere where a = $1', wishes)),
    ).rejects.toThrow(/nowhere/);
    await within((client) => runWritable(optionsOf(client), 'create table written (a int4)'));
    await within((client) => runWritable(optionsOf(client), LEAVES));
    // What it took before it failed outlasts its transaction.
    await expect(
      within((client) =>
        runWritable(optionsOf(client), `do $$ begin perform leaves(); raise 'on purpose'; end $$`),
      ),
    ).rejects.toThrow(/on purpose/);
    for (const text of [
      'set work_mem = 64',
      'select pg_advisory_lock(1)',
      'create temp table t (a int4)',
      `prepare p as select 1`,
      `select set_config('work_mem', '64', false)`,
      'discard all',
      `do $$ begin perform set_config('work_mem', '88kB', false); end $$`,
      `do $$ begin execute 'prepare left_there as select 1'; end $$`,
      `do $$ begin execute 'listen left_there'; end $$`,
      'select leaves()',
    ])
      await expect(
        within((client) => runWritable(optionsOf(client), text)),
        text,
      ).rejects.toThrow(/pooler or proxy/);
  } finally {
    await parser.stop();
  }
}

/** Where no transaction is possible. */
async function refusedOver(pooler: Pooler): Promise<void> {
  const parser = new StatementParser();
  const client = await connectTarget(settingsOf(pooler));
  try {
    const options = { client, parser, timeout_ms: 5000, allow_superuser: false };
    await expect(readRows(options, { text: 'select 7 as n', limit: 5, offset: 0 })).rejects.toThrow(
      /pools single statements/,
    );
  } finally {
    await client.close();
    await parser.stop();
  }
}

/** A way to a server on which it is a while after each answer that it is ready for the next statement. */
async function hesitantWay(to: number): Promise<number> {
  const server = net.createServer((client) => {
    const onward = net.connect(to, '127.0.0.1');
    client.on('data', (data) => onward.write(data));
    onward.on('data', (data: Buffer) => {
      const isReady = data.length >= READY_BYTES && data.at(-READY_BYTES) === READY;
      const end = data.length - (isReady ? READY_BYTES : 0);
      client.write(data.subarray(0, end));
      if (isReady) setTimeout(() => client.write(data.subarray(end)), 100);
    });
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({ [Symbol.asyncDispose]: async () => void server.close() });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
const READY_BYTES = 6;
const READY = 'Z'.charCodeAt(0);

describe.skipIf(!hasPooler)(POOLER, () => {
  it('keeps the session of an application whose last statement of ours was refused', async () => {
    const { cluster } = await scene('transaction');
    const port = await hesitantWay(cluster.port);
    const pooler = await startPooler({ ...APP, port, pool_mode: 'transaction' });
    opened.push(pooler);
    const application = await pooler.client();
    const before = await seenBy(application);
    const client = await connectTarget(settingsOf(pooler));
    await expect(client.query('select 1 / 0')).rejects.toThrow(/22012/);
    await client.close();
    expect((await seenBy(application)).pid).toBe(before.pid);
    await application.end();
  }, 60_000);

  it.each<[PoolerOptions['pool_mode'], readonly string[]]>([
    ['transaction', []],
    ['statement', []],
    ['session', ['server_reset_query =']],
  ])(
    'an application notices nothing of what is collected in mode %s',
    async (mode, settings) => {
      const { cluster, pooler } = await scene(mode, settings);
      const isSession = mode === 'session';
      let application = await pooler.client();
      const before = await seenBy(application);
      expect(before.changed).toEqual([]);
      // In this mode the one session is the application's for as long as it stays.
      if (isSession) await application.end();
      expect(await collectOver(pooler, cluster)).toMatch(/A connection pooler answers on 127\.0\.0\.1 port/);
      const { steps, success } = await testTarget(settingsOf(pooler), TEST_STEPS, {
        signal: AbortSignal.timeout(20_000),
      });
      expect(success).toBe(true);
      expect(steps.find(({ step }) => step === 'sign_in')).toMatchObject({
        status: 'warning',
        message: expect.stringMatching(/A connection pooler answers/),
      });
      if (mode === 'transaction') await askOver(pooler);
      if (mode === 'statement') await refusedOver(pooler);
      if (isSession) application = await pooler.client();
      const after = await seenBy(application);
      // A pooler that refuses a transaction ends the session in which it was asked for.
      if (mode === 'statement') after.pid = before.pid;
      expect(after).toEqual(before);
      await application.query('create table made (a int4)');
      await application.end();
    },
    180_000,
  );
});
