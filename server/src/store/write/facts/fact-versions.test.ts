import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { silentLog } from '../../../kernel/log.ts';
import { sql } from '../../../kernel/sql.ts';
import { testDirectory } from '../../../testing/servers/postgres.ts';
import { items, run, type Storing, storing } from '../../../testing/store/storing.ts';
import { openSpoolHome } from '../../spool/home.ts';
import { toQueued } from '../snapshots/snapshot-queue.ts';
import { FactVersions, type FactVersionsOptions } from './fact-versions.ts';

async function versionsOf(
  maxBytes: number,
  wrap: (db: Storing['db']) => FactVersionsOptions['db'] = (db) => db,
) {
  const store = await storing();
  onTestFinished(() => store.close());
  const root = testDirectory('facts');
  const spool = await openSpoolHome({
    root,
    maxBytes: 1024 ** 2,
    minFreeBytes: 0,
    clock: systemClock,
    log: silentLog,
  });
  if (typeof spool === 'string') throw new Error(spool);
  onTestFinished(() => spool.stop());
  const id = await store.leased();
  const versions = new FactVersions({ db: wrap(store.db), log: silentLog, spool: spool.facts, maxBytes });
  const add = (at: number) =>
    versions.add(toQueued(run(id, at, items(at, [{ name: 'a', setting: String(at).repeat(1000) }]))));
  return { store, versions, add };
}

it('counts a version once that is given up for want of memory while it is being written', async () => {
  const { store, versions, add } = await versionsOf(5000);
  add(1);
  let flushing: Promise<void> | undefined;
  await store.db.transaction(async (db) => {
    await db.run(sql`lock table metrics.facts`);
    flushing = versions.flush();
    const waiting = () =>
      store.db.one<{ n: number }>(sql`/* test.waiting */
        select count(*)::int as n from pg_locks l where not l.granted and l.relation = 'metrics.facts'::regclass`);
    await expect.poll(async () => (await waiting()).n).toBe(1);
    for (let at = 2; at < 9; at += 1) add(at);
    expect(versions.size).toBeLessThan(8);
    expect(versions.bytes).toBeLessThanOrEqual(5000);
  });
  await flushing;
  await versions.flush();
  expect(versions.size).toBe(0);
  expect(versions.bytes).toBe(0);
});

it('leaves what comes while it writes to the next time, so that others have their turn', async () => {
  let at = 10;
  const { versions, add } = await versionsOf(1024 ** 2, (db) => ({
    run: async (statement) => {
      at += 1;
      if (at < 100) add(at);
      return db.run(statement);
    },
  }));
  add(1);
  await versions.flush();
  expect(versions.size).toBe(1);
  expect(at).toBe(11);
});
