// When something runs out, against series whose answer is known from how they were made.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TrendPoint, trendOf } from './trend.ts';
import { DAY_MS } from './units.ts';

const NOW = Date.UTC(2026, 10, 22);

/** Newest last, a value a day. */
const daily = (values: readonly number[]): TrendPoint[] =>
  values.map((value, index) => ({ at: NOW - (values.length - 1 - index) * DAY_MS, value }));
const line = (days: number, of: (day: number) => number) =>
  daily(Array.from({ length: days }, (_none, n) => of(n)));
const trend = (points: readonly TrendPoint[], limit: number, heldBelow?: number) =>
  trendOf({ points, limit, now: NOW, heldBelow, fallsBack: heldBelow !== undefined });

const inDays = (at: number | null) => (at === null ? null : (at - NOW) / DAY_MS);

/** Even scatter between -1 and 1 that is the same each time. */
const scatter = (day: number) => ((day * 7919) % 101) / 50 - 1;

describe('the date something runs out', () => {
  it('is that of a straight line', () => {
    const found = trend(
      line(30, (day) => 100 + 10 * day),
      490,
    );
    expect(found).toMatchObject({ state: 'runs_out', days_of_data: 29, reason: null });
    expect(inDays(found.at)).toBeCloseTo(10, 5);
    expect(found.per_day).toBeCloseTo(10, 5);
  });

  it('lies in its band and near the truth, whatever the scatter, the gaps and a few odd days', () => {
    fc.assert(
      fc.property(
        fc.record({
          days: fc.integer({ min: 14, max: 40 }),
          slope: fc.integer({ min: 5, max: 50 }),
          ahead: fc.integer({ min: 5, max: 60 }),
          missing: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
          odd: fc.integer({ min: 2, max: 10 }),
        }),
        ({ days, slope, ahead, missing, odd }) => {
          const base = 1000;
          const limit = base + slope * (days - 1 + ahead);
          const points = line(
            days,
            (day) => base + slope * day + slope * 0.8 * scatter(day) + (day === odd ? slope * 3 : 0),
          ).filter((_one, index) => !missing.includes(index) || index === 0 || index === days - 1);
          const found = trend(points, limit);
          expect(found.state).toBe('runs_out');
          expect(inDays(found.earliest)).toBeLessThanOrEqual(inDays(found.at) ?? 0);
          expect(inDays(found.at)).toBeLessThanOrEqual(inDays(found.latest) ?? Infinity);
          expect(Math.abs((inDays(found.at) ?? 0) - ahead)).toBeLessThan(3 + 0.35 * ahead);
        },
      ),
    );
  });

  it('is never told of what falls back again and again to the same', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 12 }),
        fc.integer({ min: 0, max: 11 }),
        fc.integer({ min: 30, max: 95 }),
        (length, phase, peak) => {
          const points = line(40, (day) => (peak * (((day + phase) % length) + 1)) / length);
          expect(trend(points, 100).state).toBe('not_growing');
        },
      ),
    );
  });

  it('is never told of what shrinks or only scatters', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 }),
        fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 30, maxLength: 30 }),
        (slope, noise) => {
          // As many ups as downs, so that nothing of it is growth.
          const even = [...noise, ...noise.toReversed()];
          const found = trend(
            line(60, (day) => 5000 - slope * day + (even[day] ?? 0)),
            10_000,
          );
          expect(found.state === 'runs_out' && (inDays(found.at) ?? 0) < 200).toBe(false);
        },
      ),
    );
  });

  it('is never further away than ten times the data or five years', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 60 }),
        fc.double({ min: 0.001, max: 1000, noNaN: true }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (days, slope, room) => {
          const limit = 10 + slope * (days - 1) + room;
          const found = trend(
            line(days, (day) => 10 + slope * day),
            limit,
          );
          for (const at of [found.at, found.earliest, found.latest])
            if (at !== null)
              expect(inDays(at)).toBeLessThanOrEqual(Math.min(10 * (days - 1), 5 * 365) + 0.001);
          if (room / slope > Math.min(10 * (days - 1), 5 * 365)) {
            expect(found.state).not.toBe('runs_out');
            expect(found.reason).toMatch(/further than|less than 1 %/);
          }
        },
      ),
    );
  });
});

describe('what went on differently before', () => {
  it('does not count: growth that began a week ago has the date of this week', () => {
    const found = trend(
      line(30, (day) => (day < 22 ? 10 : 10 + 5 * (day - 21))),
      100,
    );
    expect(found.state).toBe('runs_out');
    expect(inDays(found.at)).toBeCloseTo(10, 0);
  });

  it('does not count: growth that ended a week ago has no date', () => {
    const points = line(30, (day) => Math.min(20 + 2 * day, 60));
    expect(trend(points, 100).state).toBe('not_growing');
  });

  it('a single jump is no growth', () => {
    const points = line(30, (day) => (day < 15 ? 20 : 60) + 0.1 * scatter(day));
    expect(trend(points, 100).state).toBe('not_growing');
  });

  it('steps that come again and again are', () => {
    const points = line(30, (day) => 10 + 10 * Math.floor(day / 5));
    const found = trend(points, 100);
    expect(found.state).toBe('runs_out');
    expect(inDays(found.at)).toBeGreaterThan(8);
    expect(inDays(found.at)).toBeLessThan(25);
  });

  it('a disk that was cleaned once gets its date from the days since', () => {
    const found = trend(
      line(30, (day) => (day < 20 ? 40 + 2 * day : 10 + 2 * (day - 20))),
      100,
    );
    expect(found.state).toBe('runs_out');
    expect(inDays(found.at)).toBeCloseTo(36, 0);
    expect(found.days_of_data).toBe(9);
  });

  it('a disk that was cleaned yesterday has none yet, and says why', () => {
    const found = trend(
      line(30, (day) => (day < 28 ? 40 + 2 * day : 10 + 2 * (day - 28))),
      100,
    );
    expect(found).toMatchObject({ state: 'unknown', at: null });
    expect(found.reason).toContain('since it fell back on 2026-11-21');
    // 88 are free, and 2 a day were taken before.
    expect(inDays(found.earliest)).toBeGreaterThan(40);
    expect(inDays(found.earliest)).toBeLessThan(46);
  });

  it('peaks that rise from one to the next have a date of their own', () => {
    const found = trend(
      line(56, (day) => 20 + Math.floor(day / 7) * 5 + (day % 7) * 5),
      100,
    );
    expect(found.state).toBe('runs_out');
    expect(inDays(found.at)).toBeGreaterThan(10);
    expect(inDays(found.at)).toBeLessThan(30);
  });
});

describe('ages that vacuum brings down', () => {
  const LIMIT = 2_147_483_647;
  const FREEZE = 220_000_000;

  it('have no date while vacuum is not even due', () => {
    const points = line(30, (day) => 10_000_000 + 6_000_000 * day);
    const { state, reason } = trend(points, LIMIT, FREEZE);
    expect(state).toBe('not_growing');
    expect(reason).toBe('Autovacuum to prevent wraparound starts near this age and lowers it.');
  });

  it('have one where vacuum does not keep up', () => {
    const found = trend(
      line(30, (day) => 600_000_000 + 40_000_000 * day),
      LIMIT,
      FREEZE,
    );
    expect(found.state).toBe('runs_out');
    expect(inDays(found.at)).toBeCloseTo((LIMIT - 600_000_000) / 40_000_000 - 29, 3);
  });

  it('have none where a freeze brought them down, even above the age at which it is due', () => {
    const points = line(30, (day) => (day < 20 ? 300e6 + 40e6 * day : 250e6 + 40e6 * (day - 20)));
    expect(trend(points, LIMIT, FREEZE).state).toBe('not_growing');
  });
});

describe('what nobody can tell', () => {
  it('is unknown, because', () => {
    expect(trend([], 100).reason).toBe('Nothing was collected.');
    expect(trend(daily([1, 2]), 100)).toMatchObject({ state: 'unknown', at: null });
    expect(trend(daily([1, 2]), 100).reason).toBe(
      'Not enough data yet: a forecast needs 4 values over 3 days, and there are 2 over 1 day.',
    );
    expect(trendOf({ points: daily([1, 2, 3, 4]), limit: null, now: NOW })).toMatchObject({
      state: 'unknown',
      reason: 'Its limit is unknown.',
    });
  });

  it('what is full is full now', () => {
    expect(trend(daily([100]), 100)).toMatchObject({ state: 'runs_out', at: NOW, latest: NOW });
  });
});
