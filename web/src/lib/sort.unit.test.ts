import { describe, expect, it } from 'vitest';
import { parseSort, sortRows, sortText } from './sort.ts';

const FALLBACK = { key: 'status', descending: false };

describe('in the address', () => {
  it.each([
    ['size', { key: 'size', descending: false }],
    ['-size', { key: 'size', descending: true }],
    ['', FALLBACK],
    ['-', FALLBACK],
    ['__proto__', FALLBACK],
  ])('%j', (text, sort) => expect(parseSort(text, ['status', 'size'], FALLBACK)).toEqual(sort));

  it('reads what it writes', () => {
    for (const sort of [FALLBACK, { key: 'size', descending: true }]) {
      expect(parseSort(sortText(sort), ['status', 'size'], FALLBACK)).toEqual(sort);
    }
  });
});

describe('sortRows', () => {
  const rows = [
    { n: 'b', v: 2 },
    { n: 'a', v: null },
    { n: 'c', v: 10 },
    { n: 'a', v: 2 },
  ];
  const names = (descending: boolean) =>
    sortRows(rows, { value: (row) => row.v, descending, ties: [(row) => row.n] }).map(
      ({ n, v }) => `${n}${v}`,
    );

  it('puts the unknown last both ways and decides ties ascending', () => {
    expect(names(false)).toEqual(['a2', 'b2', 'c10', 'anull']);
    expect(names(true)).toEqual(['c10', 'a2', 'b2', 'anull']);
  });

  it('leaves the given rows alone', () => {
    names(true);
    expect(rows[0]).toEqual({ n: 'b', v: 2 });
  });

  it('orders numbers inside words by value', () =>
    expect(sortRows(['db10', 'db9', 'DB1'], { value: (row) => row, descending: false, ties: [] })).toEqual([
      'DB1',
      'db9',
      'db10',
    ]));
});
