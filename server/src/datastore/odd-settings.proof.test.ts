// A role whose settings change what statements mean, on both sides: what is collected, judged and kept up is the same.
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { withSession } from '../kernel/session.ts';
import { sql } from '../kernel/sql.ts';
import { collecting } from '../testing/collecting.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { migrate } from './migrate.ts';
import { prepareDatastore } from './prepare.ts';

/** Every one of them is a setting that a role may have of its own. */
const ODD: readonly (readonly [string, string])[] = [
  ['datestyle', `'German, DMY'`],
  ['intervalstyle', 'sql_standard'],
  ['timezone', `'America/St_Johns'`],
  ['bytea_output', 'escape'],
  ['extra_float_digits', '-15'],
  ['array_nulls', 'off'],
  ['transform_null_equals', 'on'],
  ['quote_all_identifiers', 'on'],
  ['standard_conforming_strings', 'off'],
  ['escape_string_warning', 'on'],
  ['xmlbinary', 'hex'],
  ['default_transaction_isolation', 'serializable'],
  ['default_transaction_deferrable', 'on'],
  ['default_transaction_read_only', 'on'],
  ['statement_timeout', `'50ms'`],
  ['lock_timeout', '1'],
  ['idle_in_transaction_session_timeout', '1000'],
  ['idle_session_timeout', '1000'],
  ['exit_on_error', 'on'],
  ['search_path', 'nowhere'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['row_security', 'off'],
  ['transaction_timeout', `'900ms'`],
  ['restrict_nonsystem_relation_kind', `'view, foreign-table'`],
];

async function makeOdd(cluster: TestCluster, role: string, where: string): Promise<void> {
  for (const [name, value] of ODD) {
    const alter = `alter role ${role}${where} set ${name} = ${value}`;
    // So that the statements behind it are not under it.
    await cluster.query(`begin; set local default_transaction_read_only = off; ${alter}; commit`);
  }
}

async function oddCluster(where = ''): Promise<TestCluster> {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  await cluster.query(`create role other`);
  await cluster.query(`create role odd login password 'odd'`);
  await cluster.query('grant other to odd');
  await cluster.query('grant pg_monitor to odd');
  await cluster.query('create database store owner odd');
  await makeOdd(cluster, 'odd', where);
  return cluster;
}

const urlOf = (cluster: TestCluster) => new Secret(`postgres://odd:odd@127.0.0.1:${cluster.port}/store`);

const IN_FORCE = sql`select s.name, s.setting from pg_settings s where s.source in ('user', 'database user') order by 1`;

/** The two forms of what a role may have set. */
const FORMS = ['', ' in database store'];

it.each(FORMS)(
  'every session on the datastore has its own settings in force (alter role odd%s)',
  async (where) => {
    const url = urlOf(await oddCluster(where));
    const db = new Database({ url, log: silentLog, applicationName: 'matriarch test' });
    onTestFinished(() => db.stop());
    const text = IN_FORCE.text;
    expect(await db.rows(IN_FORCE)).toEqual([]);
    const { rows } = await withSession({ url, applicationName: 'matriarch test' }, (client) =>
      client.query(text),
    );
    expect(rows).toEqual([]);
  },
);

it('works as the role that owns the tables where its role is made to take another', async () => {
  const cluster = await oddCluster(' in database store');
  const url = urlOf(cluster);
  await migrate(url, silentLog);
  await cluster.query('alter role odd in database store set role = other');
  const db = new Database({ url, log: silentLog, applicationName: 'matriarch test' });
  onTestFinished(() => db.stop());
  expect(
    await db.one(sql`select current_user::text as name, count(*) > 0 as is_read from migrations`),
  ).toEqual({
    name: 'odd',
    is_read: true,
  });
});

it('collects from such a role into such a datastore', async () => {
  const cluster = await oddCluster();
  const url = urlOf(cluster);
  await migrate(url, silentLog);
  const house = await collecting(url);
  onTestFinished(() => house.stop());
  await cluster.query(`alter role odd set role = other`);
  const id = await house.connect(cluster, { username: 'odd', password: 'odd', database: 'store' });
  house.start();
  await pollMoved(
    house,
    async () => (await house.snapshots(id)).filter(({ outcome }) => outcome === 'ran').length,
  ).toBeGreaterThan(30);
  const all = await house.snapshots(id);
  const failed = all.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ probe, reason }) => `${probe}: ${reason}`)).toEqual([]);
  // As the role that signed in, and not as the one that it was made to take.
  expect(await house.snapshot(id, 'pg_stat_activity')).toMatchObject({ outcome: 'ran', cause: null });
}, 180_000);

it('has triggers fire where its role is made to do without, or says who can', async () => {
  const cluster = await oddCluster();
  const replica = (role: string) =>
    `begin; set local default_transaction_read_only = off; alter role ${role} set session_replication_role = replica; commit`;
  await cluster.query(replica('odd'));
  const refused = prepareDatastore(urlOf(cluster), { log: silentLog, mayBePooled: false });
  await expect(refused).rejects.toThrow(/alter role … reset session_replication_role/);
  await cluster.query(replica('postgres'));
  const db = new Database({
    url: new Secret(cluster.url),
    log: silentLog,
    applicationName: 'matriarch test',
  });
  onTestFinished(() => db.stop());
  expect(await db.one(sql`select current_setting('session_replication_role') as role`)).toEqual({
    role: 'origin',
  });
});

it('loses no session where a probe is refused for what the role may keep on disk', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  await cluster.query(`create role tight login password 'tight'`);
  await cluster.query('grant pg_monitor to tight');
  for (const setting of ['exit_on_error = on', 'work_mem = 64', 'temp_file_limit = 0'])
    await cluster.query(`alter role tight set ${setting}`);
  const house = await newHouse();
  const id = await house.connect(cluster, { username: 'tight', password: 'tight' });
  house.start();
  await pollMoved(house, async () => (await house.snapshot(id, 'pg_settings'))?.outcome).toBe('failed');
  await pollMoved(
    house,
    async () => (await house.snapshots(id)).filter(({ outcome }) => outcome === 'ran').length,
  ).toBeGreaterThan(25);
  const failed = (await house.snapshots(id)).filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ probe }) => probe)).toEqual(['pg_settings']);
  expect(failed[0]?.reason).toMatch(/alter role tight reset temp_file_limit/);
}, 120_000);
