// Tiers whose spans hold few samples are made once their day is over, on a real datastore: until then samples say it, afterwards
// the packed day says the same. What comes late, goes wrong or changes meanwhile is in late-days.proof.test.ts.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SLOW_TABLES } from '../../testing/store/kept-probes.ts';
import { begunSlowDays, expectNear, type SlowDays, tiersOfSeries } from '../../testing/store/slow-days.ts';

let store: SlowDays;
let id: number;
beforeEach(async () => {
  ({ store, id } = await begunSlowDays());
});
afterEach(() => store.close());

it('leaves the day that is not over to samples, and makes it when it is over', async () => {
  await store.collect(id, -3, 12);
  const raw = await store.truth(id, -4, 12);
  expect(await store.compact(12)).toEqual([]);
  expect(await store.filled()).toBe(0);
  expect([await store.inRows(id), await store.inDays(id)]).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(await store.rows('slow_server__h1', id)).toBeGreaterThan(5);
  const spliced = await store.ask(id, -4, 12);
  expect(tiersOfSeries(spliced)).toEqual(['m15']);
  expectNear(spliced, raw);
  expect(tiersOfSeries(await store.ask(id, 0, 12))).toEqual(['raw']);

  await store.collect(id, 12, 30);
  expect(await store.compact(29)).toEqual([]);
  expect([await store.filled(), await store.filled(SLOW_TABLES.name)]).toEqual([24, 24]);
  expect([await store.inRows(id), await store.inDays(id)]).toEqual([
    [0, 0],
    [1, 2],
  ]);
  const whole = await store.ask(id, 0, 24);
  expect(tiersOfSeries(whole)).toEqual(['m15']);
  expectNear(whole, await store.truth(id, 0, 24));
  expectNear(await store.ask(id, -4, 30), await store.truth(id, -4, 30));
});
