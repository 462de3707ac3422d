// F24: what happens to a server in its life: statistics that are reset, restarts, a crash, tables made again, a
// failover, an upgrade. Its counters go back, start anew or belong to another server; what is stored are increases that
// are true all the same.
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { probes as catalog } from '../../probes/catalog.gen.ts';
import { buckets } from '../../testing/store/buckets.ts';
import type { Collecting } from '../collecting.ts';
import { furtherSamples, newHouse } from '../collecting-tests.ts';
import { EVERY_SECOND } from '../every-second.ts';
import { MAJORS, type Major, startCluster, type TestCluster } from '../servers/postgres.ts';

const NAMES = [
  'pg_stat_all_tables',
  'pg_stat_statements',
  'pg_stat_wal',
  'pg_stat_database',
  'pg_server_info',
];
const probes = catalog
  .filter(({ name }) => NAMES.includes(name))
  .map((one) => ({ ...one, intervalSeconds: 1 }));
/** Far more than is ever written while somebody watches. */
const BEFORE = 100_000;
const EACH = 7;
const ROLE = { username: 'watcher', password: 'watcher' };

async function ownServer(major: Major, standbyOf?: TestCluster): Promise<TestCluster> {
  const server = await startCluster({ major, ...(standbyOf && { standbyOf }) });
  onTestFinished(() => server.stop());
  return server;
}

async function withPast(server: TestCluster): Promise<void> {
  await server.query('create extension if not exists pg_stat_statements');
  await server.query(`create role ${ROLE.username} login superuser password '${ROLE.password}'`);
  await server.query('create table w (a integer)');
  await server.query(`insert into w select generate_series(1, ${BEFORE})`);
}

/** The connection leads elsewhere from now on, as after an edit. */
const lead = (house: Collecting, id: number, server: TestCluster) => house.lead(id, server.port);

interface Counted {
  least: number;
  total: number;
}

const counted = (house: Collecting, id: number): Promise<Counted> =>
  house.db.one<Counted>(sql`/* test.counted */
    select coalesce(min(n_tup_ins), 0)::int as least, coalesce(sum(n_tup_ins), 0)::int as total
    from metrics.pg_stat_all_tables
    where connection_id = ${id} and not keyframe and relname = 'w'`);

async function increases(house: Collecting, id: number, of: { name: string; column: string; from: number }) {
  const probe = probes.find(({ name }) => name === of.name);
  if (!probe) throw new Error(`There is no probe ${of.name}.`);
  const asked = { probe, column: of.column, connection_ids: [id], aggregate: 'sum', buckets: 20 } as const;
  const [one] = await buckets(house.db, { ...asked, from: of.from, to: systemClock.now() + 1000 });
  return (one?.values ?? []).filter((value) => value !== null);
}

/** What is stored, against what was written while somebody watched. */
async function expectTrue(
  house: Collecting,
  id: number,
  { from, written }: { from: number; written: number },
) {
  const rows = await counted(house, id);
  expect(rows.least).toBeGreaterThanOrEqual(0);
  // Nothing is counted that did not happen; what happened around a restart may be missing.
  expect(rows.total).toBeLessThanOrEqual(written);
  expect(rows.total).toBeGreaterThanOrEqual(2 * EACH);
  for (const [name, column] of [
    ['pg_stat_wal', 'wal_records'],
    ['pg_stat_database', 'tup_inserted'],
  ] as const) {
    const values = await increases(house, id, { name, column, from });
    expect(values.length).toBeGreaterThan(0);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(values.reduce((sum, value) => sum + value, 0)).toBeLessThan(BEFORE / 2);
  }
  const statements = await house.db.one<{ least: number; most: number }>(sql`
    select coalesce(min(least(calls, rows)), 0)::int as least, coalesce(max(rows), 0)::int as most
    from metrics.pg_stat_statements where connection_id = ${id} and not keyframe`);
  expect(statements.least).toBeGreaterThanOrEqual(0);
  expect(statements.most).toBeLessThan(BEFORE / 2);
}

/** Resets, restarts, a crash and a table made again; `live` writes a little and waits for readings. */
async function troubled(server: TestCluster, live: (server: TestCluster) => Promise<void>): Promise<void> {
  await live(server);
  await server.query('select pg_stat_reset()');
  await server.query('select pg_stat_statements_reset()');
  await server.query(`select pg_stat_reset_shared('wal')`);
  await live(server);
  await server.shutdown();
  await server.start();
  await live(server);
  await server.kill();
  await server.start();
  await live(server);
  await server.query('drop table w');
  await server.query('create table w (a integer)');
  await live(server);
}

const systemOf = async (server: TestCluster) =>
  (await server.query('select system_identifier::text as id from pg_control_system()'))[0]?.id;

/** Through all of it on servers that begin with that version. */
export async function serverLives(major: Major): Promise<void> {
  const house = await newHouse();
  const from = systemClock.now() - 1000;
  const [primary, newer] = [
    await ownServer(major),
    await ownServer(MAJORS.find((one) => one > major) ?? major),
  ];
  await withPast(primary);
  await withPast(newer);
  const standby = await ownServer(major, primary);
  const id = await house.connect(primary, ROLE);
  house.start({ probes: [EVERY_SECOND, ...probes] });
  await furtherSamples(house, id, 3);
  let written = 0;
  const live = async (server: TestCluster) => {
    await server.query(`insert into w select generate_series(1, ${EACH})`);
    written += EACH;
    await furtherSamples(house, id, 3);
  };
  await troubled(primary, live);
  const known = async () => (await house.facts(id, 'pg_server_info'))[0]?.value.system_identifier;
  const system = await systemOf(primary);
  await primary.kill();
  await standby.query('select pg_promote()');
  await lead(house, id, standby);
  await live(standby);
  expect(await known()).toBe(system);
  await lead(house, id, newer);
  await live(newer);
  await expect.poll(known, { timeout: 90_000 }).toBe(await systemOf(newer));
  await expectTrue(house, id, { from, written });
}
