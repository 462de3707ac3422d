// Series as areas on top of each other.
import { describe, expect, it } from 'vitest';
import { largestOf } from './series.ts';
import { areaPath, isDrawn, outline, stacked } from './stack.ts';

describe('areas on top of each other', () => {
  const grid = { from: 0, to: 400, buckets: 4 };
  const frame = { grid, top: 10, width: 400, height: 100 };
  const series = [
    { name: 'CPU', values: [2, 1, null, 3] },
    { name: 'Lock', values: [1, null, null, 2] },
  ];

  it('begin where the one below ends; a gap of all is a gap', () => {
    const [cpu, lock] = stacked(series);
    expect([cpu?.lower, cpu?.values]).toEqual([
      [0, 0, null, 0],
      [2, 1, null, 3],
    ]);
    expect([lock?.lower, lock?.values]).toEqual([
      [2, 1, null, 3],
      [3, 1, null, 5],
    ]);
    expect(largestOf(stacked(series))).toBe(5);
    expect(stacked([])).toEqual([]);
    const before = { name: 'Before', values: [9, 9, 9, 9], isLine: true as const };
    expect(stacked([before, ...series])[0]).toBe(before);
    expect(stacked([before, ...series])[1]).toEqual(cpu);
  });

  it('have no edge where they have no height, which would hide that of the one below', () => {
    const [cpu, idle] = stacked([
      { name: 'CPU', values: [2, 1, 3, 1, 2] },
      { name: 'IO', values: [0, 0, 0, 1, 0] },
    ]);
    expect(cpu && outline(cpu)).toEqual([2, 1, 3, 1, 2]);
    expect(idle && outline(idle)).toEqual([null, null, 3, 2, 2]);
    expect(outline({ name: 'a line', values: [0, 0] })).toEqual([0, 0]);
  });

  it('are drawn run by run, a lone bucket as wide as it is', () => {
    const [, lock] = stacked(series);
    const path = lock ? areaPath(lock, frame) : '';
    expect(path).toBe('M50 70L150 90L150 90L50 80ZM300 50H400V70H300Z');
  });

  it('are compared with a level, unless it would press them flat', () => {
    expect(isDrawn({ name: '8 processors', value: 8 }, 2)).toBe(true);
    expect(isDrawn({ name: '64 processors', value: 64 }, 2)).toBe(false);
    expect(isDrawn({ name: '4 processors', value: 4 }, 0)).toBe(true);
  });
});
