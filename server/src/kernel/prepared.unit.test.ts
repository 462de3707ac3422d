// Answers that are kept because they were dear to make.
import { expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import type { Db } from './db.ts';
import { until } from './leaving.ts';
import { Prepared } from './prepared.ts';

const none = async () => expect.fail('nothing is asked here');
const db: Db = { rows: none, maybe: none, one: none, run: none, transaction: none };
const options = { dear_ms: 250, keep_ms: 60_000, most: 2 };

function scene() {
  const clock = manualClock(0);
  const prepared = new Prepared<number>(options);
  let made = 0;
  const ask = (key: string, tookMs: number, of = db) =>
    prepared.of({ db: of, clock }, key, async () => {
      made += 1;
      const own = made;
      await Promise.resolve();
      clock.advance(tookMs);
      return own;
    });
  return { clock, ask };
}

it('what took long is given to who asks within a minute, and what was made at once is made anew', async () => {
  const { clock, ask } = scene();
  expect([await ask('dear', 300), await ask('dear', 300)]).toEqual([1, 1]);
  expect([await ask('cheap', 10), await ask('cheap', 10)]).toEqual([2, 3]);
  clock.advance(60_000);
  expect(await ask('dear', 300)).toBe(4);
});

it('what is kept stays after the requests that waited for it are over', async () => {
  const { ask } = scene();
  const request = new AbortController();
  expect(
    await ask(
      'dear',
      300,
      until(db, () => request.signal),
    ),
  ).toBe(1);
  request.abort();
  expect(await ask('dear', 300)).toBe(1);
});

it('many who ask at once wait for one, and another question has its own answer', async () => {
  const { ask } = scene();
  expect(await Promise.all([ask('a', 1), ask('a', 1), ask('b', 1)])).toEqual([1, 1, 2]);
});

it('few are kept, and a failure is not', async () => {
  const { clock, ask } = scene();
  for (const key of ['a', 'b', 'c', 'd']) await ask(key, 300);
  expect(await ask('a', 300)).toBe(5);
  const prepared = new Prepared<number>(options);
  await expect(prepared.of({ db, clock }, 'x', () => Promise.reject(new Error('away')))).rejects.toThrow(
    'away',
  );
  expect(await prepared.of({ db, clock }, 'x', async () => 7)).toBe(7);
});

it('who asks after all others have left is not given what was ended', async () => {
  const clock = manualClock(0);
  const prepared = new Prepared<number>(options);
  const leaving = new AbortController();
  const own = until(db, () => leaving.signal);
  const never = Promise.withResolvers<number>();
  void prepared.of({ db: own, clock }, 'x', () => never.promise);
  leaving.abort();
  expect(await prepared.of({ db, clock }, 'x', async () => 8)).toBe(8);
});
