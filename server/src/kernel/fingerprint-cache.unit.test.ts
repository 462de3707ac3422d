// What is kept between requests: when a reading is used again, when it is not, and how much is kept.
import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CachedValue, FingerprintCache } from './fingerprint-cache.ts';

function reader() {
  const cache = new FingerprintCache<number>();
  let readings = 0;
  const ask = async (fingerprint: string, now: number) => {
    const read = async () => {
      readings += 1;
      return readings;
    };
    return (await cache.of({ fingerprint, now, read })).value;
  };
  return ask;
}

it('uses a reading while the tables are as they were, and for two seconds at most', async () => {
  const ask = reader();
  expect(await ask('a', 0)).toBe(1);
  expect(await ask('a', 1999)).toBe(1);
  expect(await ask('a', 2000)).toBe(2);
  expect(await ask('b', 2001)).toBe(3);
  expect(await ask('a', 2002)).toBe(4);
});

it('reads once for those who ask at the same time', async () => {
  const ask = reader();
  expect(await Promise.all([ask('a', 0), ask('a', 1), ask('a', 2)])).toEqual([1, 1, 1]);
  expect(await Promise.all([ask('b', 3), ask('b', 4)])).toEqual([2, 2]);
});

it('tells all who wait when reading fails, and reads again for the next', async () => {
  const cache = new FingerprintCache<number>();
  const asked = { fingerprint: 'a', now: 0 };
  const failing = () =>
    cache.of({ ...asked, read: () => Promise.reject(new Error('The datastore cannot be reached.')) });
  const outcomes = await Promise.allSettled([failing(), failing()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await cache.of({ ...asked, read: async () => 5 })).value).toBe(5);
});

it('draws a text once for each key, and gives up the one asked for longest ago when there are too many', () => {
  const reading = new CachedValue('rows');
  const drawn: string[] = [];
  const eleven = 'x'.repeat(11 * 1024 * 1024);
  const text = (key: string, of = eleven) =>
    reading.text(key, () => {
      drawn.push(key);
      return of;
    }).text.length;
  expect([text('a'), text('b'), text('a')]).toEqual([eleven.length, eleven.length, eleven.length]);
  text('c');
  expect([reading.kept, drawn]).toEqual([2, ['a', 'b', 'c']]);
  text('a');
  expect(drawn).toEqual(['a', 'b', 'c']);
  text('b');
  expect(drawn).toEqual(['a', 'b', 'c', 'b']);
  expect(text('huge', 'x'.repeat(40 * 1024 * 1024))).toBe(40 * 1024 * 1024);
  expect(reading.kept).toBe(0);
  expect(text('a', 'again')).toBe(5);
});

it('answers what was read before while it is read anew, where that is asked for, and for so long', async () => {
  const cache = new FingerprintCache<string>({ keep_ms: 10, while_reading_ms: 60 });
  const ask = async (now: number, read: () => Promise<string>, fingerprint = 'a') =>
    (await cache.of({ fingerprint, now, read })).value;
  expect(await ask(0, async () => 'first')).toBe('first');
  const slow = Promise.withResolvers<string>();
  let readings = 0;
  const read = () => {
    readings += 1;
    return slow.promise;
  };
  expect([await ask(10, read), await ask(59, read), readings]).toEqual(['first', 'first', 1]);
  // Too old to be used, and read since: what began earlier does not take its place.
  expect(await ask(60, async () => 'third')).toBe('third');
  slow.resolve('second');
  await settled();
  expect(await ask(61, read)).toBe('third');
  // One that failed meanwhile changes nothing.
  expect(await ask(70, () => Promise.reject(new Error('It is away.')))).toBe('third');
  await settled();
  expect(await ask(71, async () => 'fourth')).toBe('third');
  await settled();
  expect(await ask(72, read)).toBe('fourth');
  expect(await ask(73, async () => 'other', 'b')).toBe('other');
});
