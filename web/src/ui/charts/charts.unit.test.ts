import { describe, expect, it } from 'vitest';
import { timeTicks, valueAxis } from './scales.ts';
import {
  bucketAt,
  type ChartSeries,
  csvOf,
  type Grid,
  linePath,
  missingWords,
  newestBucket,
  onGrid,
  tableOf,
} from './series.ts';
import { formatValue, unitWords } from './values.ts';

const at = (text: string) => Date.parse(text);
const grid = (buckets: number): Grid => ({
  from: at('2026-11-20T10:00:00Z'),
  to: at('2026-11-20T10:00:00Z') + buckets * 60_000,
  buckets,
});
const series = (...values: (number | null)[]): ChartSeries => ({ name: 'a', values });

describe('axis of values', () => {
  it.each([
    [0, 'count', [0, 1]],
    [3, 'count', [0, 1, 2, 3]],
    [0.3, 'count', [0, 1]],
    [0.3, 'count/s', [0, 0.1, 0.2, 0.3]],
    [97, 'count/s', [0, 50, 100]],
    [1000, 'ms', [0, 500, 1000]],
    [42, 'percent', [0, 25, 50, 75, 100]],
    [210, 'percent', [0, 100, 200, 300]],
    [3000, 'bytes', [0, 1024, 2048, 3072]],
    [10 * 1024 ** 3, 'bytes/s', [0, 4 * 1024 ** 3, 8 * 1024 ** 3, 12 * 1024 ** 3]],
    [0.5, 'bytes', [0, 1]],
    [-5, 'seconds', [0, 1]],
  ])('up to %d %s', (largest, unit, ticks) => expect(valueAxis(largest, unit).ticks).toEqual(ticks));

  it('holds every value, with few steps', () => {
    for (const unit of ['', 'count', 'bytes', 'ms', 'seconds', 'percent', 'rows/s', 'bytes/s'])
      for (let largest = 1e-6; largest < 1e18; largest *= 1.7) {
        const { top, ticks } = valueAxis(largest, unit);
        expect(top).toBeGreaterThanOrEqual(largest * 0.999_999);
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThan(8);
      }
  });
});

describe('axis of time', () => {
  const ticks = (from: string, to: string, zone = 'UTC') =>
    timeTicks({ from: at(from), to: at(to) }, zone, 6).map(({ label }) => label);

  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:01:00Z', ['10:00:00', '10:00:10', '10:00:20']],
    ['2026-11-20T10:03:00Z', '2026-11-20T11:03:00Z', ['10:10', '10:20', '10:30']],
    ['2026-11-19T13:00:00Z', '2026-11-20T13:00:00Z', ['18:00', '20 Nov', '06:00', '12:00']],
    ['2026-11-13T13:00:00Z', '2026-11-20T13:00:00Z', ['15 Nov', '17 Nov', '19 Nov']],
  ])('from %s to %s', (from, to, labels) => expect(ticks(from, to).slice(0, labels.length)).toEqual(labels));

  it('has round hours of the zone', () =>
    expect(ticks('2026-11-20T00:00:00Z', '2026-11-20T06:00:00Z', 'Asia/Kathmandu')).toEqual([
      '06:00',
      '07:00',
      '08:00',
      '09:00',
      '10:00',
      '11:00',
    ]));

  it.each([
    ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', ['29 Mar', '06:00', '12:00', '18:00', '30 Mar']],
    ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', ['25 Oct', '06:00', '12:00', '18:00', '26 Oct']],
    [
      '2026-03-29T00:00:00Z',
      '2026-03-29T03:00:00Z',
      ['01:00', '01:30', '03:00', '03:30', '04:00', '04:30', '05:00'],
    ],
  ])('has them on a day with a change of the clock, from %s', (from, to, labels) =>
    expect(ticks(from, to, 'Europe/Berlin')).toEqual(labels),
  );

  it('is short for windows of every length', () => {
    const from = at('2026-01-01T00:00:00Z');
    for (let length = 60_000; length < 366 * 86_400_000; length *= 1.9) {
      const found = timeTicks({ from, to: from + length }, 'Europe/Berlin', 6);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(7);
    }
  });
});

describe('lines', () => {
  const path = (...values: (number | null)[]) =>
    linePath(values, { grid: grid(values.length), top: 10, width: values.length * 10, height: 100 });

  it('go through what was measured', () => expect(path(0, 5, 10)).toBe('M5 100L15 50L25 0'));
  it('stop at a gap and begin anew behind it', () =>
    expect(path(1, 2, null, null, 3, 4)).toBe('M5 90L15 80M45 70L55 60'));
  it('show a lone value as long as its bucket', () => expect(path(null, 5, null)).toBe('M10 50H20'));
  it('are not there where nothing is', () => expect(path(null, null)).toBe(''));
});

describe('points on the grid', () => {
  const points = [0, 1, 3].map((minute) => ({
    time: new Date(grid(6).from + minute * 60_000).toISOString(),
    value: minute,
  }));
  it('leave what was not answered unknown', () =>
    expect(onGrid(points, grid(6))).toEqual([0, 1, null, 3, null, null]));
  it('drop what stands outside', () => {
    const odd = [
      { time: '2020-01-01T00:00:00Z', value: 1 },
      { time: 'x', value: 2 },
    ];
    expect(onGrid(odd, grid(2))).toEqual([null, null]);
  });
  it('belong to the bucket of a moment', () => {
    const { from, to } = grid(6);
    expect(
      [from, from + 59_999, from + 60_000, to, to + 1, from - 1].map((time) => bucketAt(grid(6), time)),
    ).toEqual([0, 0, 1, 5, undefined, undefined]);
  });
});

describe('what is missing', () => {
  const words = (...values: (number | null)[]) =>
    missingWords([series(...values)], grid(values.length), (time) =>
      new Date(time).toISOString().slice(11, 16),
    );
  it('is nothing where all is there, and at the end', () => {
    expect(words(1, 2, 3)).toBeUndefined();
    expect(words(1, 2, null, null)).toBeUndefined();
    expect(words(null, null)).toBeUndefined();
  });
  it('is said of the beginning and of gaps', () => {
    expect(words(null, null, 1)).toBe('Not measured before 10:02.');
    expect(words(1, null, 0)).toBe('Not measured from 10:01 to 10:02.');
    expect(words(null, 1, null, 1, null, null, 1)).toBe(
      'Not measured before 10:01. 2 gaps, the longest from 10:04 to 10:06.',
    );
  });
  it('is no gap while another series was measured', () =>
    expect(missingWords([series(1, null, 1), series(null, 2, null)], grid(3), String)).toBeUndefined());
});

describe('tables', () => {
  const both = [series(1, null, 0.1, null), { name: '=a,"b"', values: [null, null, 2, null] }];
  it('end with the newest value', () => {
    expect(newestBucket(both, grid(4))).toBe(2);
    expect(tableOf(both, grid(4)).map(({ values }) => values)).toEqual([
      [1, null],
      [null, null],
      [0.1, 2],
    ]);
  });
  it('are CSV with empty cells for gaps and no formulas', () =>
    expect(csvOf(both, grid(4))).toBe(
      `from,to,a,"'=a,""b"""\r\n2026-11-20T10:00:00.000Z,2026-11-20T10:01:00.000Z,1,\r\n2026-11-20T10:01:00.000Z,2026-11-20T10:02:00.000Z,,\r\n2026-11-20T10:02:00.000Z,2026-11-20T10:03:00.000Z,0.1,2\r\n`,
    ));
});

describe('values in words', () => {
  it.each([
    [null, 'count', undefined],
    [0, 'count', '0'],
    [12.3456, 'count/s', '12.3 /s'],
    [1234567, 'rows', '1.23 M'],
    [12345, '', '12,345'],
    [1536, 'bytes', '1.5 kB'],
    [3 * 1024 ** 2, 'bytes/s', '3 MB/s'],
    [99.53, 'percent', '99.5 %'],
    [0.25, 'seconds', '250 ms'],
    [90, 'seconds', '1 min 30 s'],
    [141.96, 'seconds', '2 min 22 s'],
    [59.97, 'seconds', '1 min'],
    [-90, 'seconds', '−1 min 30 s'],
    [7384, 'seconds', '2 h 3 min'],
    [180_000, 'seconds', '2 d 2 h'],
    [999_600, 'count', '1 M'],
    [600, 'seconds', '10 min'],
    [2500, 'ms', '2.5 s'],
    [12, 'ms/s', '12 ms/s'],
    [0.5, 'blocks/s', '0.5 /s'],
  ])('%s %s', (value, unit, text) => expect(formatValue(value, unit)).toBe(text));

  it.each([
    ['count/s', ''],
    ['blocks/s', 'blocks a second'],
    ['rows', 'rows'],
    ['count', ''],
  ])('unit %s', (unit, words) => expect(unitWords(unit)).toBe(words));
});
