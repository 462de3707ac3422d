// Sessions on the datastore. That a session which was cut off gives its locks back is PostgreSQL's to do; that it is told
// to is ours.
import { expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { keepAwake } from './keep-awake.ts';
import { sql } from './sql.ts';

it('a transaction that is left alone is ended by the server, and an idle session is not', async () => {
  const { db, close } = await testDatabase();
  const ask = sql`/* test.timeout */
    select setting::int from pg_catalog.pg_settings where name = 'idle_in_transaction_session_timeout'`;
  const inside = await db.transaction((inner) => inner.one<{ setting: number }>(ask));
  expect(inside.setting).toBe(20_000);
  expect(await db.one(ask)).toEqual({ setting: 0 });
  await close();
});

it('no statement starts other processes, however cheap the planner takes them for', async () => {
  const { db, close } = await testDatabase();
  const plan = await db.transaction(async (inner) => {
    await inner.run(
      sql`/* test.many */ create table public.many as select n from generate_series(1, 20000) n`,
    );
    await inner.run(sql`/* test.costs */
      select set_config(name, '0', true)
      from unnest(array['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size']) as name`);
    return inner.rows(sql`/* test.plan */ explain (costs off) select count(*) from public.many`);
  });
  expect(JSON.stringify(plan)).toContain('Seq Scan on many');
  expect(JSON.stringify(plan)).not.toContain('Gather');
  await close();
});

it('a process that computes for long within a transaction says something every three seconds', async () => {
  const { db, close } = await testDatabase();
  const clock = manualClock(0);
  await db.transaction(async (inner) => {
    const counted = countedDb(inner);
    const stay = keepAwake(counted, clock);
    for (const [pause, statements] of [
      [2999, 0],
      [1, 1],
      [2999, 1],
      [1, 2],
    ] as const) {
      clock.advance(pause);
      await stay();
      expect(counted.sent).toHaveLength(statements);
    }
  });
  await close();
});
