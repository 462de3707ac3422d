// Names at the ends of lines: few, beside their own line, never over one another, and none where there is no room.
import { expect, it } from 'vitest';
import { endLabels } from './end-labels.ts';
import type { ChartSeries, Frame } from './series.ts';
import { stacked } from './stack.ts';

const FROM = Date.UTC(2026, 10, 20, 10);
const frame = (width: number, top = 100): Frame => ({
  grid: { from: FROM, to: FROM + 4 * 60_000, buckets: 4 },
  ...{ top, width, height: 150 },
});
const line = (name: string, ...values: (number | null)[]): ChartSeries => ({ name, values });

it('names each line above its end, and the one at the top below it', () => {
  const labels = endLabels([line('Reads', 1, 2, 3, 50), line('Writes', 1, 2, 3, 100)], frame(400));
  expect(labels).toEqual([
    { name: 'Writes', text: 'Writes', x: 350, y: 14, anchor: 'end' },
    { name: 'Reads', text: 'Reads', x: 350, y: 70, anchor: 'end' },
  ]);
});

it('leaves out a name that would cover another, whatever ends beside whatever', () => {
  for (let first = 0; first <= 100; first += 3)
    for (let second = 0; second <= 100; second += 3) {
      const labels = endLabels([line('a', first), line('b', second), line('c', 50)], frame(300));
      const heights = labels.map(({ y }) => y);
      for (const [index, y] of heights.entries())
        for (const other of heights.slice(index + 1)) expect(Math.abs(y - other)).toBeGreaterThanOrEqual(12);
      for (const y of heights) expect(y > 9 && y <= 150).toBe(true);
    }
});

it('names neither of two lines that end beside each other', () => {
  const labels = endLabels([line('Reads', 50), line('Hits', 52), line('Writes', 10)], frame(400));
  expect(labels.map(({ name }) => name)).toEqual(['Writes']);
});

it('names an area in its middle, and not one that is too low for it', () => {
  const areas = stacked([line('CPU', 40), line('IO', 2), line('Lock', 50)]);
  expect(endLabels(areas, frame(300)).map(({ name, y }) => [name, y])).toEqual([
    ['Lock', 53.5],
    ['CPU', 124],
  ]);
});

it('names none of one line, of more than five, on a plot of no width, or beyond its edge', () => {
  expect(endLabels([line('a', 1)], frame(400))).toEqual([]);
  expect(
    endLabels(
      Array.from('abcdef', (name, at) => line(name, at * 20)),
      frame(400),
    ),
  ).toEqual([]);
  expect(endLabels([line('a', 1), line('b', 90)], frame(60))).toEqual([]);
  const long = line('Sessions that are idle in an open transaction', 50);
  expect(
    endLabels([long, line('b', null, 90)], frame(200)).map(({ name, anchor }) => [name, anchor]),
  ).toEqual([['b', 'start']]);
});

it('names no line of the time that it is compared with', () => {
  const before = { ...line('a before', 10, 10), comparedTo: 0 };
  expect(endLabels([line('a', 1, 80), before], frame(400))).toEqual([]);
});
