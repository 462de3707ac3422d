// Faults of monitored servers as scenarios, run in a short form beside the other tests and in full by npm run
// test:faults: a server that hangs, probes that are poison, addresses that swallow every packet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { sleep } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { probes as catalog } from '../../probes/catalog.gen.ts';
import { defineProbe, type Probe } from '../../probes/types.ts';
import { furtherSamples, newHouse, SOON } from '../collecting-tests.ts';
import { EVERY_SECOND } from '../every-second.ts';
import { type Major, sharedServer, startCluster } from '../servers/postgres.ts';

/** Sockets of this machine that are open to that port, as a client. */
function socketsTo(port: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1);
  return lines.filter((line) => {
    const [, , to, state] = line.trim().split(/\s+/);
    return to?.endsWith(remote) && state === '01';
  }).length;
}

/** F4: every process of a server is frozen; with `rounds`, again and again. */
export async function hangingServer(rounds: number): Promise<void> {
  const house = await newHouse();
  const hanging = await startCluster({ major: 16 });
  onTestFinished(() => hanging.stop());
  const [bad, good] = [await house.connect(hanging), await house.connect(await sharedServer(18))];
  house.start({
    probes: [EVERY_SECOND],
    config: {
      connect_timeout_seconds: 2,
      connects_per_second: 50,
      concurrency: 1,
      budget_percent: 100,
      masked_parameters: [],
    },
  });
  await furtherSamples(house, bad, 1);
  for (let round = 0; round < rounds; round += 1) {
    hanging.pause();
    await furtherSamples(house, good, 4);
    await expect
      .poll(() => house.state(bad), SOON)
      .toMatchObject({
        connection_error: expect.stringMatching(/in time|stopped answering/),
      });
    expect(socketsTo(hanging.port)).toBeLessThanOrEqual(1);
    expect((await house.snapshot(bad, 'pulse'))?.outcome).toBe('failed');
    await furtherSamples(house, good, 2);
    hanging.resume();
    // The longer it was away, the rarer it is asked.
    await expect
      .poll(() => house.state(bad), { ...SOON, timeout: 75_000 })
      .toMatchObject({ connection_error: null });
    await furtherSamples(house, bad, 1);
  }
}

/** What a busy machine takes for millions of rows or bytes. */
const UNHURRIED_MS = 60_000;

function poison(name: string, text: string, caps: Partial<Probe['caps']> = {}): Probe {
  return defineProbe({
    name,
    description: 'Poison.',
    level: 'S',
    intervalSeconds: 1,
    retentionDays: 1,
    keeps: 'snapshot',
    // As statements, of which only the beginning is sent: any other text of that size fails its run.
    columns: [{ name: 'value', type: 'text', kind: 'label', scrub: true, description: 'Anything.' }],
    caps: { timeoutMs: 500, ...caps },
    sql: () => text,
  });
}

/** F17: each probe is bad in another way; only it fails, and it is asked less often. */
export async function poisonProbes(): Promise<void> {
  const house = await newHouse();
  const id = await house.connect(await sharedServer(18));
  const probes = [
    poison('slow', `select 'x'::text as value from pg_catalog.pg_sleep(30)`),
    poison('error', `select (1 / (random() * 0)::int)::text as value`),
    poison('undefined', 'select value from no_such_table'),
    poison('many', `select 'row'::text as value from pg_catalog.generate_series(1, 1000000)`, {
      maxRows: 10,
      timeoutMs: UNHURRIED_MS,
    }),
    poison('wide', `select pg_catalog.repeat('x', 30000000) as value`, {
      maxText: 7,
      timeoutMs: UNHURRIED_MS,
    }),
    poison(
      'flood',
      `select pg_catalog.repeat('x', 1000) as value from pg_catalog.generate_series(1, 50000)`,
      {
        maxRows: 100_000,
        timeoutMs: UNHURRIED_MS,
      },
    ),
    poison('suicide', `select pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid())::text as value`),
    poison('fine', `select 'well'::text as value`),
    EVERY_SECOND,
  ];
  house.start({ probes });
  const outcome = async (name: string) => {
    const found = await house.snapshot(id, name);
    return [found?.outcome, found?.reason ?? found?.rows?.[0]?.value];
  };
  // Those that break the session hold up the others for a moment.
  const becomes = (name: string, ...expected: unknown[]) =>
    expect.poll(() => outcome(name), SOON).toEqual(expected);
  await becomes('fine', 'ran', 'well');
  await becomes('slow', 'failed', 'The statement ran longer than allowed and was cancelled.');
  await becomes('error', 'failed', 'The server refused a statement (SQLSTATE 22012).');
  await becomes('undefined', 'failed', expect.stringContaining('42P01'));
  await becomes('many', 'ran', 'There are more than 10 rows; the rest is not kept.');
  await becomes('wide', 'ran', 'xxxxxxx');
  await becomes('flood', 'failed', expect.stringContaining('larger reply'));
  await becomes('suicide', 'failed', expect.stringContaining('closed the session'));
  const attempted = async () => Date.parse((await house.snapshot(id, 'flood'))?.attempted_at ?? '');
  const before = await attempted();
  await furtherSamples(house, id, 4);
  // Not with each sample: again after fifteen seconds at the earliest, which pass on a busy machine.
  const pause = (await attempted()) - before;
  expect(pause === 0 || pause > 14_000, `again after ${pause} ms`).toBe(true);
  expect(await outcome('fine')).toEqual(['ran', 'well']);
  expect(await house.state(id)).toMatchObject({ connection_error: null });
}

/** F4: the process of our session alone is frozen; the server goes on. */
export async function hangingSession(): Promise<void> {
  const house = await newHouse();
  const server = await startCluster({ major: 18 });
  onTestFinished(() => server.stop());
  const [id, good] = [await house.connect(server), await house.connect(await sharedServer(17))];
  house.start({ probes: [EVERY_SECOND] });
  await furtherSamples(house, id, 1);
  const pids = async () => {
    const rows = await server.query(
      `select pid from pg_stat_activity where application_name = 'matriarch' order by pid`,
    );
    return rows.map(({ pid }) => Number(pid));
  };
  const [frozen = 0] = await pids();
  process.kill(frozen, 'SIGSTOP');
  onTestFinished(() => void process.kill(frozen, 'SIGKILL'));
  await furtherSamples(house, good, 3);
  await expect.poll(async () => (await pids()).some((pid) => pid !== frozen), SOON).toBe(true);
  await furtherSamples(house, id, 1);
  expect(socketsTo(server.port)).toBe(1);
}

const HOLE = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.stdout.write(server.address().port + '\\n', () => process.kill(process.pid, 'SIGSTOP'));
  });`;

/** A port of which nobody takes connections: once two wait, the kernel drops every further packet, as a black hole. */
async function blackHole(): Promise<number> {
  const child = spawn(process.execPath, ['-e', HOLE], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = child.stdout ? await once(child.stdout, 'data') : ['0'];
  return Number(String(port).trim());
}

async function cpuPercent(seconds: number): Promise<number> {
  const before = process.cpuUsage();
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10_000 / seconds;
}

/** F5: many addresses swallow every packet. Answers what they cost, in percent of a core. */
export async function swallowed(count: number, seconds: number): Promise<{ percent: number }> {
  const house = await newHouse();
  const live = await house.connect(await sharedServer(18));
  house.start({ probes: [EVERY_SECOND] });
  await furtherSamples(house, live, 2);
  const alone = await cpuPercent(seconds);
  const port = await blackHole();
  const nowhere = { host: '127.0.0.1', port, superuser: 'x', password: 'x' };
  const dead: number[] = [];
  for (let n = 0; n < count; n += 1) dead.push(await house.connect(nowhere));
  const failures = async () => (await house.state(dead.at(-1) ?? 0))?.consecutive_failures ?? 0;
  await expect.poll(failures, { timeout: 90_000, interval: 200 }).toBeGreaterThanOrEqual(2);
  expect((await house.state(dead.at(-1) ?? 0))?.connection_error).toMatch(/did not answer|in time/);
  const percent = (await cpuPercent(seconds)) - alone;
  await furtherSamples(house, live, 3);
  return { percent };
}

const SIZES = ['pg_database', 'pg_stat_all_tables', 'pg_stat_all_indexes', 'pg_tablespace'];

/** F6: somebody holds a table, then the catalog of all tables, with the strongest lock. */
export async function lockedCatalog(major: Major): Promise<void> {
  const house = await newHouse();
  const server = await startCluster({ major });
  onTestFinished(() => server.stop());
  await server.query('create table held (id integer primary key)');
  await server.query('insert into held select generate_series(1, 1000)');
  await server.query('vacuum analyze held');
  const id = await house.connect(server);
  const sized = catalog
    .filter(({ name }) => SIZES.includes(name))
    .map((one) => ({ ...one, intervalSeconds: 1 }));
  const holder = new pg.Client({ connectionString: server.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('begin');
  await holder.query('lock table held in access exclusive mode');
  house.start({ probes: [EVERY_SECOND, ...sized] });
  const outcomes = async () =>
    (await house.snapshots(id)).filter(({ probe }) => SIZES.includes(probe)).map(({ outcome }) => outcome);
  const all = ['ran', 'ran', 'ran', 'ran'];
  await expect.poll(outcomes, SOON).toEqual(all);
  await holder.query('lock table pg_catalog.pg_class in access exclusive mode');
  await expect.poll(outcomes, { ...SOON, timeout: 90_000 }).toContain('failed');
  await holder.query('rollback');
  await expect.poll(outcomes, { ...SOON, timeout: 90_000 }).toEqual(all);
  // What could not be read is absent: nowhere a size of zero.
  const { zeros, sizes } = await house.db.one<{ zeros: number; sizes: number }>(sql`
    select
      count(*) filter (where database_size_bytes <= 0)::int as zeros,
      count(*) filter (where database_size_bytes > 0)::int as sizes
    from metrics.pg_database where connection_id = ${id}`);
  expect(zeros).toBe(0);
  expect(sizes).toBeGreaterThan(0);
  const held = await house.db.one<{ least: number }>(sql`
    select min(table_size)::int as least from metrics.pg_stat_all_tables
    where connection_id = ${id} and relname = 'held' and table_size is not null`);
  expect(held.least).toBeGreaterThan(8192);
}
