// What is asked of a further database of a server: what it offers, once, and little where something is not well. What leads to a
// session there, over real seconds: database-visits.proof.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { defineProbe } from '../probes/types.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';

const common = {
  description: '',
  level: 'D',
  retentionDays: 1,
  keeps: 'snapshot',
  columns: [{ name: 'a', type: 'integer', kind: 'gauge', description: '' }],
} as const;
const READS_CATALOG = defineProbe({
  ...common,
  name: 'reads_catalog',
  intervalSeconds: 1,
  views: ['pg_catalog.pg_class'],
  sql: (offered) => `select ${offered.columns.get('pg_catalog.pg_class')?.has('relname') ? 1 : 0} as a`,
});

it('asks what a database offers once, and not again at each visit', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('create database other');
  await server.query('create extension pg_stat_statements');
  // Sessions of a superuser say that they are not counted.
  await server.query(`create role watcher login password 'watcher' in role pg_monitor`);
  const house = await newHouse();
  const id = await house.connect(server, { username: 'watcher', password: 'watcher' });
  const asked = async () => {
    const [row] = await server.query(`select coalesce(sum(s.calls), 0)::int as calls
      from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = 'other' and s.query like '%collector.capabilities%'`);
    return Number(row?.calls);
  };
  house.start({ probes: [READS_CATALOG] });
  const runs = new Set<string>();
  const seeRuns = async () =>
    runs.add(String((await house.snapshot(id, 'reads_catalog', 'other'))?.collected_at)).size;
  await pollMoved(house, seeRuns, 1).toBeGreaterThanOrEqual(4);
  expect(await asked()).toBe(1);
  expect(await house.snapshot(id, 'reads_catalog', 'other')).toMatchObject({ rows: [{ a: 1 }] });
  // Somebody says that something was mended: then nothing of it counts as known.
  await house.db.run(sql`update matriarch.connections set retest_requested_at = now() where id = ${id}`);
  await pollMoved(house, asked).toBe(2);
});

/** What it lacks is a grant on an object, which nothing tells that is asked of the database. */
const UNREADABLE = defineProbe({
  ...common,
  name: 'unreadable',
  intervalSeconds: 1,
  columns: [
    { name: 'schemaname', type: 'text', kind: 'key', description: '' },
    { name: 'readable', type: 'boolean', kind: 'label', description: '' },
  ],
  unreadable: { objects: 'sequences', column: 'readable', schema: 'schemaname' },
  sql: () => `select 'public' as schemaname, false as readable`,
});
/** What it lacks is a role. */
const HIDDEN = defineProbe({
  ...common,
  name: 'hidden',
  intervalSeconds: 1,
  hidden: { without: 'pg_read_all_stats' },
  sql: () => 'select 1 as a',
});

const READS_TWO = defineProbe({
  ...READS_CATALOG,
  name: 'reads_two',
  views: ['pg_catalog.pg_class', 'pg_catalog.pg_index'],
});

it('asks little of a database where something is not well, and notices all the same when it is mended', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('create database other');
  await server.query('create extension pg_stat_statements');
  await server.query(`create role plain login password 'plain'`);
  const house = await newHouse();
  const id = await house.connect(server, { username: 'plain', password: 'plain' });
  const asked = async () => {
    const [row] = await server.query(`select coalesce(sum(s.calls), 0)::int as calls
      from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = 'other' and s.query like '%collector.capabilities%'`);
    return Number(row?.calls);
  };
  house.start({ probes: [READS_TWO, UNREADABLE, HIDDEN] });
  const causeOf = async (probe: string) => (await house.snapshot(id, probe, 'other'))?.cause;
  const runs = new Set<string>();
  const seeRuns = async () =>
    runs.add(String((await house.snapshot(id, 'reads_two', 'other'))?.collected_at)).size;
  await pollMoved(house, seeRuns, 1).toBeGreaterThanOrEqual(4);
  expect(await causeOf('unreadable')).toBe('missing_grant');
  expect(await causeOf('hidden')).toBe('masked');
  const few = await asked();
  await server.query('grant pg_read_all_stats to plain');
  await pollMoved(house, () => causeOf('hidden')).toBe(null);
  expect(await causeOf('unreadable')).toBe('missing_grant');
  const all = await asked();
  expect(all).toBeGreaterThan(few);
  const seen = runs.size;
  await pollMoved(house, seeRuns, 1).toBeGreaterThanOrEqual(seen + 3);
  expect(await asked()).toBe(all);
});
