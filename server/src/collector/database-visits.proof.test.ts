// What leads to a session on a further database of a server: something that can be read there, never what cannot; over real seconds.
// What is asked there: database-offers.proof.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import { defineProbe } from '../probes/types.ts';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { directly } from '../testing/servers/probing.ts';

const common = {
  description: '',
  level: 'D',
  retentionDays: 1,
  keeps: 'snapshot',
  columns: [{ name: 'a', type: 'integer', kind: 'gauge', description: '' }],
} as const;
const STEADY = defineProbe({ ...common, name: 'steady', intervalSeconds: 4, sql: () => 'select 1 as a' });
const LATE = defineProbe({
  ...common,
  name: 'late',
  intervalSeconds: 1,
  views: ['public.late'],
  requires: { relation: 'public.late' },
  sql: () => 'select l.a from public.late l',
});

it('what cannot run in a database opens no session there, and runs once it can', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('create database other');
  const house = await newHouse();
  const id = await house.connect(server);
  const other = async (probe: string) => house.snapshot(id, probe, 'other');
  const sessions = async () => {
    const [row] = await server.query(`select sessions::int from pg_stat_database where datname = 'other'`);
    return Number(row?.sessions);
  };
  house.start({ probes: [STEADY, LATE] });
  await expect.poll(() => other('late'), SOON).toMatchObject({ outcome: 'skipped' });
  const runs = new Set<string>();
  const seeRuns = async () => runs.add(String((await other('steady'))?.collected_at)).size;
  await expect.poll(seeRuns, SOON).toBe(1);
  const from = await sessions();
  await expect.poll(seeRuns, SOON).toBe(4);
  // A session is counted when it ends, and by one more if another visit has just begun.
  expect((await sessions()) - from).toBeLessThanOrEqual(4);
  expect(await other('late')).toMatchObject({ outcome: 'skipped' });

  const url = new URL(server.url);
  url.pathname = '/other';
  await directly({ ...server, url: url.toString() }, 'create table late as select 7 as a');
  await expect.poll(() => other('late'), SOON).toMatchObject({ outcome: 'ran', rows: [{ a: 7 }] });
});
