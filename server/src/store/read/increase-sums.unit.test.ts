import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachWanted, IncreaseSums, Members, Numbered } from './increase-sums.ts';

const BUCKETS = 3;

function toldBy(gains: IncreaseSums): [string, number[]][] {
  const found: [string, number[]][] = [];
  gains.each((group, totals) => found.push([group, [...totals]]));
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

const list = fc.record({
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
  bucket: fc.integer({ min: 0, max: BUCKETS - 1 }),
  share: fc.constantFrom(0.25, 0.5, 1),
});
const wantedIds = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 60 })), { nil: undefined });

it('says of every group what its entities come to, in whatever lists and places they stand', () => {
  fc.assert(
    fc.property(fc.array(list), wantedIds, (lists, wanted) => {
      const groupOf = (id: number) => (id % 7 === 0 ? undefined : `group ${id % 5}`);
      const numbered = new Numbered();
      const only = wanted && new Set(wanted);
      const own = (id: number) => (only && !only.has(id) ? undefined : groupOf(id));
      const members = new Members(numbered, only, own);
      const gains = new IncreaseSums(numbered, BUCKETS);
      const expected = new Map<string, number[]>();
      for (const { ids, bucket, share } of lists) {
        const valueAt = (position: number) => (ids[position] ?? 0) * 4;
        if (share < 1) gains.add(members.in(ids), valueAt, { bucket, share });
        else {
          const [first = 0, ...rest] = ids.map((_id, position) => valueAt(position));
          gains.addSums(members.in(ids), { all: first, own: Float64Array.from(rest) }, { bucket, share });
        }
        for (const id of ids) {
          const group = own(id);
          if (group === undefined) continue;
          const totals = expected.get(group) ?? [0, 0, 0];
          totals[bucket] = (totals[bucket] ?? 0) + id * 4 * share;
          expected.set(group, totals);
        }
      }
      expect(toldBy(gains)).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
    }),
  );
});

it('a group that did not grow is there, and one that only another column told of is not', () => {
  const numbered = new Numbered();
  const members = new Members(numbered, undefined, String);
  const [some, others] = [new IncreaseSums(numbered, 1), new IncreaseSums(numbered, 1)];
  some.add(members.in([1, 2]), () => 0, { bucket: 0, share: 1 });
  others.add(members.in([3]), () => 5, { bucket: 0, share: 1 });
  expect(toldBy(some)).toEqual([
    ['1', [0]],
    ['2', [0]],
  ]);
  expect(toldBy(others)).toEqual([['3', [5]]]);
});

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
