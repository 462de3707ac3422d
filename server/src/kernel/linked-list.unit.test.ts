// Who is there, and that nobody is held who has left.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { LinkedList } from './linked-list.ts';

it('knows who is there, in the order in which they came', () => {
  const list = new LinkedList<string>();
  expect([list.first, list.size, list.all()]).toEqual([undefined, 0, []]);
  const [leaveA, leaveB, leaveC] = ['a', 'b', 'c'].map((one) => list.enter(one));
  expect([list.first, list.size, list.all()]).toEqual(['a', 3, ['a', 'b', 'c']]);
  leaveB?.();
  leaveB?.();
  expect([list.first, list.size, list.all()]).toEqual(['a', 2, ['a', 'c']]);
  leaveA?.();
  list.enter('d');
  expect([list.first, list.size, list.all()]).toEqual(['c', 2, ['c', 'd']]);
  leaveC?.();
  expect([list.first, list.size, list.all()]).toEqual(['d', 1, ['d']]);
});

it('holds nobody who has left, not even until everything is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect: (options?: object) => void = runInNewContext('gc');
  const list = new LinkedList<object>();
  const visit = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      const leave = [1, 2].map(() => list.enter(Array.from({ length: 64 }, () => n + 0.5)));
      await undefined;
      for (const one of leave) one();
      if (n % 500 === 0) collect({ type: 'minor' });
    }
    for (let n = 0; n < 2; n += 1) collect({ type: 'minor' });
  };
  await visit(1000);
  collect();
  const before = getHeapStatistics().used_heap_size;
  await visit(10_000);
  // 11 MB came and left; of a Set more than one would still be there.
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(400_000);
});
