import { describe, expect, it } from 'vitest';
import { type Choice, choosePassages, cut } from './passages.ts';

const choice: Choice = {
  question: 'disk full',
  most: 10,
  chunk_tokens: 10,
  output_tokens: 1000,
  lambda: 0.6,
};
const row = (key: string, distance: number, text: string) => ({ key, distance, text });

describe('passages', () => {
  it('are cut between words, and within words that are too long', () => {
    expect(cut('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(cut('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
    expect(cut(' '.repeat(50), 10)).toEqual([]);
    expect(cut('word '.repeat(10_000), 20).length).toBe(20);
  });

  it('come nearest first, and not the same twice before others', () => {
    const rows = [
      row('a', 0.1, 'the disk is full'),
      row('b', 0.11, 'the disk is full'),
      row('c', 0.2, 'a slot holds WAL'),
    ];
    expect(choosePassages(rows, { ...choice, lambda: 0.3 }).map(({ key }) => key)).toEqual(['a', 'c', 'b']);
    expect(choosePassages(rows, { ...choice, lambda: 1 }).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('are bounded in number and size', () => {
    const rows = Array.from({ length: 50 }, (_, index) =>
      row(String(index), index, `number ${index} ${'x '.repeat(100)}`),
    );
    expect(choosePassages(rows, { ...choice, most: 3 })).toHaveLength(3);
    const all = choosePassages(rows, { ...choice, output_tokens: 25 });
    expect(all.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(100);
    expect(choosePassages([], choice)).toEqual([]);
  });
});
