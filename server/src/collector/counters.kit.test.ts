// F24: counters of a server that lives: resets, restarts, objects that go and come under the same key. What is stored
// is never negative and never more than happened, and the newest rows are what the server says. The oldest version is for the proof.
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { defineProbe } from '../probes/types.ts';
import { newest as newestOf } from '../store/read/newest.ts';
import { newHouse, pollMoved, SOON } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { isProof } from '../testing/tier.ts';

const ROWS = defineProbe({
  name: 'test_rows',
  description: 'Rows written to tables.',
  level: 'D',
  intervalSeconds: 1,
  retentionDays: 1,
  keeps: 'objects',
  columns: [
    // By name, so that a table made again has the same key as one that was dropped.
    { name: 'relname', type: 'text', kind: 'key', description: 'Name.' },
    { name: 'n_tup_ins', type: 'bigint', kind: 'counter', unit: 'rows', description: 'Rows.' },
  ],
  sql: () =>
    `select s.relname::text as relname, s.n_tup_ins from pg_catalog.pg_stat_user_tables s where s.relname ~ '^w'`,
});

const VERSIONS = isProof() ? ([14] as const) : ([18] as const);

describe.each(VERSIONS)('on PostgreSQL %i', (major) => {
  it('F24: increases are true through resets, restarts and tables made again', async () => {
    const cluster = await startCluster({ major });
    onTestFinished(() => cluster.stop());
    const house = await newHouse();
    const id = await house.connect(cluster);
    const write = (table: string, rows: number) =>
      cluster.query(`insert into ${table} select generate_series(1, ${rows})`);
    await cluster.query('create table w1 (a int)');
    await cluster.query('create table w2 (a int)');
    await write('w1', 1000);
    // Before 15 the server counts a little later than it writes.
    const counted = async () =>
      (await cluster.query(`select n_tup_ins::int from pg_stat_user_tables where relname = 'w1'`))[0]
        ?.n_tup_ins;
    await expect.poll(counted, SOON).toBe(1000);
    house.start({ probes: [ROWS] });
    const newest = async () => {
      const rows = await newestOf(house.db, { probe: ROWS, connection_ids: [id] });
      return Object.fromEntries(rows.map(({ row }) => [String(row.relname), row.n_tup_ins]));
    };
    const exists = async () =>
      (await house.db.maybe<{ there: string | null }>(sql`select to_regclass('metrics.test_rows') as there`))
        ?.there;
    await pollMoved(house, exists).not.toBeNull();
    await pollMoved(house, newest).toEqual({ w1: 1000, w2: 0 });
    await write('w1', 10);
    await write('w2', 5);
    await pollMoved(house, newest).toEqual({ w1: 1010, w2: 5 });
    await cluster.query('select pg_stat_reset()');
    await write('w1', 3);
    await pollMoved(house, newest).toMatchObject({ w1: 3 });
    await cluster.query('drop table w2');
    await pollMoved(house, newest).toEqual({ w1: 3 });
    await cluster.query('create table w2 (a int)');
    await write('w2', 7);
    await pollMoved(house, newest).toMatchObject({ w2: 7 });
    await cluster.shutdown();
    await cluster.start();
    await write('w1', 4);
    await pollMoved(house, newest).toMatchObject({ w1: 7 });
    const { lowest, total } = await house.db.one<{ lowest: number; total: number }>(sql`
      select min(n_tup_ins) as lowest, sum(n_tup_ins)::integer as total
      from metrics.test_rows where connection_id = ${id} and not keyframe`);
    expect(lowest).toBeGreaterThanOrEqual(0);
    // All that was written while somebody watched: 10, 5, 3, 7, 4 rows.
    expect(total).toBeLessThanOrEqual(29);
    expect(total).toBeGreaterThanOrEqual(18);
    const { names } = await house.db.one<{ names: number }>(sql`
      select count(*) as names from metrics.objects where connection_id = ${id}`);
    expect(names).toBe(2);
  });
});
