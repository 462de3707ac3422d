import { expect, it } from 'vitest';
import { eachWanted } from './positions.ts';

const visited = (ids: readonly number[], wanted?: readonly number[]) => {
  const found: [number, number][] = [];
  eachWanted(ids, wanted && new Set(wanted), (id, position) => found.push([id, position]));
  return found.sort(([a], [b]) => a - b);
};

it('a few of many are found with where they stand, each time anew', () => {
  const ids = [7, 3, 9, 1, 5, 11, 13, 15, 17, 19];
  expect(visited(ids, [9, 2])).toEqual([[9, 2]]);
  expect(visited(ids, [19, 7])).toEqual([
    [7, 0],
    [19, 9],
  ]);
  expect(visited(ids, [])).toEqual([]);
  expect(visited([], [1])).toEqual([]);
});

it('all are looked at where nobody said which, or nearly all are wanted', () => {
  expect(visited([4, 2])).toEqual([
    [2, 1],
    [4, 0],
  ]);
  expect(visited([4, 2, 6], [2])).toHaveLength(3);
});

it('a few of many that are in order are found as well, and only where they stand', () => {
  const ids = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18];
  expect(visited(ids, [18, 0])).toEqual([
    [0, 0],
    [18, 9],
  ]);
  expect(visited(ids, [7, 20])).toEqual([]);
});
