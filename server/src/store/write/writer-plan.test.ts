// How much of the datastore a flush reads: what it writes, not all that is known of a thousand servers.
import { expect, it, onTestFinished } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { items, rowsOf, run, storing } from '../../testing/store/storing.ts';
import { toQueued } from './snapshots/snapshot-queue.ts';
import { flushRuns } from './writer.queries.ts';

const KNOWN = 20_000;

/** Rows that this transaction has read of both tables. */
async function rowsRead(db: Db): Promise<number> {
  const { read } = await db.one<{ read: number }>(sql`
    select sum(t.seq_tup_read + t.idx_tup_fetch)::integer as read
    from pg_stat_xact_user_tables t
    where t.schemaname = 'metrics' and t.relname in ('facts', 'current_snapshots')`);
  return read;
}

it('reads what it writes, also by a plan that was made while the tables were small', async () => {
  const store = await storing();
  onTestFinished(() => store.close());
  const id = await store.leased();
  const flush = (db: Db, at: number) => {
    const settings = items(at, [
      { name: 'same', value: 1 },
      { name: 'changed', value: at },
    ]);
    return db.run(
      flushRuns([
        toQueued({ ...run(id, at, settings), probe: 'settings' }),
        toQueued({ ...run(id, at, rowsOf(at, [{ a: at }])), probe: 'rows' }),
      ]),
    );
  };
  const read = await store.db.transaction(async (db) => {
    await db.run(sql`set local plan_cache_mode = force_generic_plan`);
    await flush(db, 0);
    await db.run(sql`
      insert into metrics.facts (connection_id, probe, database_name, item_key, valid_from, value)
      select 1000 + n / 400, 'settings', '', 'item ' || n, now(), '1'
      from generate_series(1, ${KNOWN}::integer) n`);
    await db.run(sql`
      insert into metrics.current_snapshots (connection_id, probe, database_name, attempted_at, outcome)
      select 1000 + n / 50, 'p' || n, '', now(), 'ran'
      from generate_series(1, ${KNOWN}::integer) n`);
    const before = await rowsRead(db);
    await flush(db, 1000);
    return (await rowsRead(db)) - before;
  });
  expect(read).toBeLessThan(100);
  const facts = await store.db.rows(sql`
    select f.item_key, f.value ->> 'value' as value, f.valid_to is null as is_current
    from metrics.facts f
    where f.connection_id = ${id}
    order by f.item_key, f.valid_from`);
  expect(facts).toEqual([
    { item_key: 'changed', value: '0', is_current: false },
    { item_key: 'changed', value: '1000', is_current: true },
    { item_key: 'same', value: '1', is_current: true },
  ]);
});
