import { describe, expect, it } from 'vitest';
import {
  BUCKETS,
  bucketOf,
  CALM_STEP_MS,
  coarseWindow,
  drawnWindow,
  RANGES,
  readMoment,
  readTime,
  stepOf,
  timeOf,
  usualRange,
  windowAt,
  windowFault,
  writeMoment,
  writeTime,
} from './time-window.ts';

const at = (text: string) => Date.parse(text);
const read = (search: string) => readTime(new URLSearchParams(search));
const LAST_HOUR = { range: '1h', fixed: undefined, zone: 'local' };

describe('what an address says', () => {
  it.each(RANGES)('the last %s', (range) => expect(read(`range=${range}`).range).toBe(range));

  it('from moment to moment, in UTC', () =>
    expect(read('from=2026-11-20T10:00:00Z&to=2026-11-20T11:30:00.500Z&zone=utc&range=7d')).toEqual({
      range: '7d',
      fixed: { from: at('2026-11-20T10:00:00Z'), to: at('2026-11-20T11:30:00.500Z') },
      zone: 'utc',
    }));

  it.each([
    '',
    'range=2h',
    'range=1h%00',
    'range=constructor',
    'zone=Mars/Phobos',
    'from=2026-11-20T10:00:00Z',
    'to=2026-11-20T10:00:00Z',
    'from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00Z',
    'from=2026-11-20T11:00:00Z&to=2026-11-20T10:00:00Z',
    'from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:59Z',
    'from=2024-11-20T10:00:00Z&to=2026-11-20T10:00:00Z',
    'from=1970-01-01T00:00:00Z&to=1970-02-01T00:00:00Z',
    'from=2026-11-20T10:00:00&to=2026-11-20T11:00:00',
    'from=2026-02-45T10:00:00Z&to=2026-11-20T11:00:00Z',
    'from=0&to=9e99',
    'from=-271821-04-20T00:00:00Z&to=%2B275760-09-13T00:00:00Z',
    'from=<script>&to=javascript:alert(1)',
    `from=${'9'.repeat(10_000)}&to=2026-11-20T10:00:00Z`,
  ])('%s counts as the last hour', (search) => expect(read(search)).toEqual(LAST_HOUR));

  it.each([
    ['', ''],
    ['range=24h', 'range=24h'],
    ['range=1h&zone=local', ''],
    [
      'from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00Z',
      'from=2026-11-20T10%3A00%3A00Z&to=2026-11-20T11%3A00%3A00Z',
    ],
    ['from=x&to=y&zone=utc', 'zone=utc'],
    ['tab=activity&find=a&range=30d', 'tab=activity&find=a&range=30d'],
    ['compare=week', 'compare=week'],
    ['compare=tomorrow', ''],
  ])('%s is written as %s', (before, after) =>
    expect(String(writeTime(new URLSearchParams(before), read(before)))).toBe(after),
  );
});

it('is all of an address that goes along to another page', () => {
  const search =
    'tab=queries&q=a&from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00Z&zone=utc&page=2&compare=day';
  expect(Object.fromEntries(timeOf(new URLSearchParams(search)))).toEqual({
    from: '2026-11-20T10:00:00Z',
    to: '2026-11-20T11:00:00Z',
    zone: 'utc',
    compare: 'day',
  });
  expect(String(timeOf(new URLSearchParams('tab=queries&range=24h')))).toBe('range=24h');
});

describe('windows', () => {
  it.each(RANGES)('of the last %s stand on whole buckets and reach over now', (range) => {
    const now = at('2026-11-20T10:00:07.250Z');
    const { from, to } = windowAt({ range, fixed: undefined, zone: 'local' }, now);
    expect((to - from) / BUCKETS).toBe(bucketOf(range));
    expect(to % bucketOf(range)).toBe(0);
    expect(to % stepOf(range)).toBe(0);
    expect(to).toBeGreaterThanOrEqual(now);
    expect(to - now).toBeLessThan(stepOf(range));
    expect(windowFault({ from, to })).toBeUndefined();
  });

  it('are not read anew more often than every ten seconds', () =>
    expect(Math.min(...RANGES.map((range) => stepOf(range)))).toBe(10_000));

  it('of lists move on every two minutes, and stand still where the window does', () => {
    const ends = Array.from({ length: 240 }, (_, second) => {
      const now = at('2026-11-20T10:00:00Z') + second * 1000;
      const window = windowAt({ range: '1h', fixed: undefined, zone: 'utc' }, now);
      const { from, to } = coarseWindow(window, true);
      expect(to - from).toBe(3_600_000);
      expect(to).toBeGreaterThanOrEqual(window.to);
      return to;
    });
    expect(new Set(ends).size).toBeLessThanOrEqual(3);
    expect(coarseWindow({ from: 1, to: 61_001 }, false)).toEqual({ from: 1, to: 61_001 });
  });

  it('from moment to moment stand still', () => {
    const fixed = { from: 1, to: 2 };
    expect(windowAt({ range: '1h', fixed, zone: 'utc' }, at('2026-11-20T10:00:00Z'))).toBe(fixed);
  });

  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z', /end has to be later/],
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:30Z', /At least one minute/],
    ['2025-11-18T10:00:00Z', '2026-11-20T10:00:00Z', /At most 366 days/],
    ['1999-12-31T10:00:00Z', '2000-01-20T10:00:00Z', /2000 and 2199/],
  ])('from %s to %s cannot be shown', (from, to, why) =>
    expect(windowFault({ from: at(from), to: at(to) })).toMatch(why),
  );
});

describe('drawing a window', () => {
  const shown = { from: at('2026-11-20T10:00:00Z'), to: at('2026-11-20T11:00:00Z') };
  const drawn = (one: string, other: string) => {
    const { from, to } = drawnWindow(at(`2026-11-20T${one}Z`), at(`2026-11-20T${other}Z`), shown);
    return [from, to].map((time) => new Date(time).toISOString().slice(11, 19));
  };

  it('takes both directions', () => {
    expect(drawn('10:10:00', '10:20:00.4')).toEqual(['10:10:00', '10:20:00']);
    expect(drawn('10:20:00', '10:10:00')).toEqual(['10:10:00', '10:20:00']);
  });

  it('makes what is too short a minute, within what is shown', () => {
    expect(drawn('10:30:10', '10:30:20')).toEqual(['10:29:45', '10:30:45']);
    expect(drawn('10:00:00', '10:00:02')).toEqual(['10:00:00', '10:01:00']);
    expect(drawn('11:00:00', '10:59:58')).toEqual(['10:59:00', '11:00:00']);
  });
});

describe('the moment that is shown', () => {
  const FIXED = 'from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00Z';
  const moment = (search: string) => {
    const found = readMoment(new URLSearchParams(search), read(search));
    return found === undefined ? undefined : new Date(found).toISOString();
  };

  it('stands in the address, within a window that stands still; else it is its end', () => {
    expect(moment(`${FIXED}&at=2026-11-20T10:20:30Z`)).toBe('2026-11-20T10:20:30.000Z');
    expect(moment(FIXED)).toBe('2026-11-20T11:00:00.000Z');
    expect(moment(`${FIXED}&at=2026-11-20T11:00:01Z`)).toBe('2026-11-20T11:00:00.000Z');
    expect(moment(`${FIXED}&at=yesterday`)).toBe('2026-11-20T11:00:00.000Z');
  });

  it('is now while the window follows the clock', () => {
    expect(moment('range=6h')).toBeUndefined();
    expect(moment('range=6h&at=2026-11-20T10:20:30Z')).toBeUndefined();
  });

  it('is written to the second, and goes along to other pages', () => {
    const written = writeMoment(new URLSearchParams(FIXED), at('2026-11-20T10:20:30.400Z'));
    expect(written.get('at')).toBe('2026-11-20T10:20:30Z');
    expect(timeOf(written).get('at')).toBe('2026-11-20T10:20:30Z');
    expect(writeMoment(written, undefined).has('at')).toBe(false);
  });
});

it('shows of a young server about the time since it was added', () => {
  const minutes = [0, 4.9, 5, 14.9, 15, 6000];
  expect(minutes.map((age) => usualRange(age * 60_000))).toEqual(['5m', '5m', '15m', '15m', '1h', '1h']);
});

it('moves a window that was not chosen on every half minute, on whole buckets', () => {
  const now = Date.UTC(2026, 10, 20, 10, 0, 1);
  for (const range of ['5m', '15m', '1h'] as const) {
    const { to } = windowAt({ range, fixed: undefined, zone: 'utc' }, now, CALM_STEP_MS);
    expect([to - now, (to - now + 1000) % bucketOf(range)]).toEqual([29_000, 0]);
  }
  expect(windowAt({ range: '5m', fixed: undefined, zone: 'utc' }, now).to - now).toBe(9000);
});
