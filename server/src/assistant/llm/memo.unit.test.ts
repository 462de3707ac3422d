import { describe, expect, it } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createMemo } from './memo.ts';

function counted() {
  const clock = manualClock(0);
  const memo = createMemo<number>(clock, 1000);
  let made = 0;
  const make = async () => {
    made += 1;
    return made;
  };
  return { clock, memo, make };
}

describe('createMemo', () => {
  it('keeps an answer for its time and not longer', async () => {
    const { clock, memo, make } = counted();
    expect(await memo.get('a', make)).toBe(1);
    clock.advance(999);
    expect(await memo.get('a', make)).toBe(1);
    clock.advance(1);
    expect(await memo.get('a', make)).toBe(2);
  });

  it('counts the time from the answer, not from the question', async () => {
    const { clock, memo, make } = counted();
    const slow = Promise.withResolvers<number>();
    const first = memo.get('a', () => slow.promise);
    clock.advance(5000);
    const second = memo.get('a', make);
    slow.resolve(7);
    expect(await first).toBe(7);
    expect(await second).toBe(7);
    clock.advance(999);
    expect(await memo.get('a', make)).toBe(7);
  });

  it('makes one answer for all who ask at once', async () => {
    const { memo, make } = counted();
    const answers = await Promise.all(Array.from({ length: 50 }, () => memo.get('a', make)));
    expect(new Set(answers)).toEqual(new Set([1]));
  });

  it('shares a failure with those who wait and forgets it', async () => {
    const { memo, make } = counted();
    const fail = () => Promise.reject(new Error('no'));
    const outcomes = await Promise.allSettled([memo.get('a', fail), memo.get('a', make)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await memo.get('a', make)).toBe(1);
  });

  it('keeps keys apart', async () => {
    const { memo, make } = counted();
    expect([await memo.get('a', make), await memo.get('b', make)]).toEqual([1, 2]);
  });
});
