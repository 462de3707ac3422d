// A budget of work for each person.
import { expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { WorkBudget } from './work-budget.ts';

function scene() {
  const clock = manualClock(0);
  const budget = new WorkBudget({ clock, seconds: 30, at_once: 2, wait_ms: 20, what: 'reads' });
  const take = (key: string, ms: number) =>
    budget.run(key, async () => {
      clock.advance(ms);
      return 'done';
    });
  return { clock, budget, take };
}

it('so many seconds of a minute, of which the last work may take more', async () => {
  const { clock, take } = scene();
  expect(await take('a', 20_000)).toBe('done');
  expect(await take('a', 50_000)).toBe('done');
  await expect(take('a', 1)).rejects.toMatchObject({
    status: 429,
    message:
      'Your reads took 30 seconds of the last minute, which is what each person has. Try again in 11 seconds.',
    retryAfterSeconds: 11,
  });
  expect(await take('b', 1)).toBe('done');
  clock.advance(11_000);
  expect(await take('a', 1)).toBe('done');
});

it('work that takes little is never refused', async () => {
  const { clock, take } = scene();
  for (let n = 0; n < 1000; n += 1) {
    expect(await take('a', 100)).toBe('done');
    clock.advance(110);
  }
});

it('so many at once, of which others wait for the end for a while, also where work fails', async () => {
  const { budget, take } = scene();
  const never = Promise.withResolvers<string>();
  const running = [1, 2].map(() => budget.run('a', () => never.promise).catch(() => 'failed'));
  await expect(take('a', 1)).rejects.toMatchObject({
    status: 429,
    message: expect.stringContaining('2 reads under way'),
  });
  expect(await take('b', 1)).toBe('done');
  const waiting = [take('a', 1), take('a', 1), take('a', 1)];
  never.reject(new Error('away'));
  expect(await Promise.all(running)).toEqual(['failed', 'failed']);
  expect(await Promise.all(waiting)).toEqual(['done', 'done', 'done']);
  expect(await take('a', 1)).toBe('done');
});
