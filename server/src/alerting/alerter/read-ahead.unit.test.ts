import { describe, expect, it } from 'vitest';
import { readAhead } from './read-ahead.ts';

/** Reads that end when they are told to; notes what began and how many were under way at most. */
function reader() {
  const began: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<number>>();
  return {
    began,
    read: (item: number) => {
      began.push(item);
      const end = Promise.withResolvers<number>();
      ends.set(item, end);
      return end.promise;
    },
    end: (item: number) => ends.get(item)?.resolve(10 * item),
    fail: (item: number) => ends.get(item)?.reject(new Error(`no ${item}`)),
  };
}

describe('reading ahead', () => {
  it('answers in the order asked, whichever comes first, and begins no more than it may', async () => {
    const { began, read, end } = reader();
    const answers = readAhead([1, 2, 3, 4], read, 2);
    const first = answers.next();
    expect(began).toEqual([1, 2]);
    end(2);
    end(1);
    expect((await first).value).toEqual([1, 10]);
    expect(began, 'the first is still looked at').toEqual([1, 2]);
    expect((await answers.next()).value).toEqual([2, 20]);
    expect(began).toEqual([1, 2, 3]);
    const third = answers.next();
    expect(began).toEqual([1, 2, 3, 4]);
    end(4);
    end(3);
    expect((await third).value).toEqual([3, 30]);
    expect((await answers.next()).value).toEqual([4, 40]);
    expect((await answers.next()).done).toBe(true);
  });

  it('says the failure of the first that fails, and that of a later one to nobody', async () => {
    const { read, fail } = reader();
    const answers = readAhead([1, 2], read, 2);
    const first = answers.next();
    fail(2);
    fail(1);
    await expect(first).rejects.toThrow('no 1');
  });
});
