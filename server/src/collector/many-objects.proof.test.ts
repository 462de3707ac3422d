// 12,000 tables for real: what matters in the newest of them is seen, and the server's time for it stays that of a sort.
import { expect, it } from 'vitest';
import { probedDatabase } from '../testing/servers/database-probes.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

const TABLES = 12_000;
const AT_ONCE = 500;

it('watches the newest of 12,000 tables where it has the most dead rows, and says how many are not watched', async () => {
  const batches = Array.from(
    { length: TABLES / AT_ONCE },
    (_none, n) => `do $$ begin for i in ${n * AT_ONCE + 1}..${(n + 1) * AT_ONCE} loop
      execute format('create table many_%s (id integer) with (autovacuum_enabled = false)', i);
    end loop; end $$`,
  );
  const database = await probedDatabase(await sharedServer(18), batches);
  const client = await database.client();
  await client.query(`insert into many_${TABLES} select generate_series(1, 5000)`);
  await client.query(`delete from many_${TABLES}`);
  await client.end();
  await expect
    .poll(
      async () => {
        const outcome = await database.outcome('pg_stat_all_tables');
        return outcome.kind === 'ran'
          ? outcome.rows.find(({ relname }) => relname === `many_${TABLES}`)?.n_dead_tup
          : null;
      },
      { timeout: 30_000 },
    )
    .toBe(5000);
  const outcome = await database.outcome('pg_stat_all_tables');
  if (outcome.kind !== 'ran') throw new Error('it did not run');
  expect(outcome).toMatchObject({ is_cut: true });
  expect(outcome.rows).toHaveLength(10_000);
  const [all] = await database.query('select count(*)::integer as count from pg_stat_all_tables');
  const count = Number(all?.count);
  expect(outcome.note).toContain(
    `${(count - 10_000).toLocaleString('en-US')} of ${count.toLocaleString('en-US')} tables are not watched`,
  );
  await database.close();
}, 240_000);
