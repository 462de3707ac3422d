// Statements of a request whose client has left, on a real server: ended within moments, and only once nobody waits any more.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { Batcher } from './batcher.ts';
import { lasting, shared, until } from './leaving.ts';
import { sql } from './sql.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const sleeping = (name: string) => ({ text: `/* test.${name} */ select pg_sleep(25)`, values: [] });

/** How many sessions of the server are at it. */
async function atWork(name: string): Promise<number> {
  const { count } = await test.db.one<{ count: number }>(sql`/* test.at_work */
    select count(*)::integer as count
    from pg_stat_activity
    where state = 'active' and query like ${`%test.${name} %`} and pid <> pg_backend_pid()`);
  return count;
}

const untilWork = (name: string, count: number) =>
  vi.waitFor(async () => expect(await atWork(name)).toBe(count), { timeout: 10_000, interval: 20 });

it('what is under way ends with its client, and the next statement of the session is not touched', async () => {
  const leaving = new AbortController();
  const db = until(test.db, () => leaving.signal);
  const reading = db.rows(sleeping('alone')).catch((error: unknown) => String(error));
  await untilWork('alone', 1);
  leaving.abort();
  expect(await reading).toContain('given up before it was answered');
  await untilWork('alone', 0);
  await expect(db.rows(sleeping('later'))).rejects.toThrow('given up before it was answered');
  expect(await atWork('later')).toBe(0);
  const answers = Array.from({ length: 20 }, () => test.db.one(sql`/* test.next */ select 1 as one`));
  expect(await Promise.all(answers)).toEqual(answers.map(() => ({ one: 1 })));
});

it('within a transaction too, which is rolled back', async () => {
  const leaving = new AbortController();
  const db = until(test.db, () => leaving.signal);
  const work = db.transaction(async (inner) => {
    await inner.run(sql`/* test.table */ create table public.never (n integer)`);
    await inner.rows(sleeping('inside'));
  });
  const ended = work.catch((error: unknown) => String(error));
  await untilWork('inside', 1);
  leaving.abort();
  expect(await ended).toContain('given up');
  expect(await test.db.one(sql`/* test.there */ select to_regclass('public.never') as name`)).toEqual({
    name: null,
  });
});

it('what several wait for ends with the last of them, and goes on for who never leaves', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const dbs = [first, second].map(({ signal }) => until(test.db, () => signal));
  const together = new Batcher<string, number>(async (asked, db = test.db) => {
    await db.rows(sleeping('shared'));
    return asked.map(() => 1);
  });
  const answers = dbs.map((db) => together.ask('same', 'x', db).catch(() => 'ended'));
  await untilWork('shared', 1);
  first.abort();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await atWork('shared')).toBe(1);
  second.abort();
  expect(await Promise.all(answers)).toEqual(['ended', 'ended']);
  await untilWork('shared', 0);
  const [one] = dbs;
  expect(shared([test.db, ...(one ? [one] : [])])).toBe(test.db);
  expect(dbs.map(lasting)).toEqual([test.db, test.db]);
});
