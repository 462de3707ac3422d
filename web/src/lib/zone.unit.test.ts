import { describe, expect, it } from 'vitest';
import {
  dateText,
  fieldInstant,
  fieldText,
  hourText,
  instantOf,
  momentText,
  wallOf,
  withTimes,
} from './zone.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);

describe('clocks', () => {
  it.each([
    ['2026-11-20T12:00:00Z', BERLIN, '2026-11-20 13:00:00'],
    ['2026-06-20T23:30:00Z', BERLIN, '2026-06-21 01:30:00'],
    ['2026-06-20T23:30:00Z', 'UTC', '2026-06-20 23:30:00'],
    ['2026-06-20T00:00:00Z', 'Asia/Kathmandu', '2026-06-20 05:45:00'],
    ['1969-12-31T23:59:59Z', 'UTC', '1969-12-31 23:59:59'],
  ])('at %s in %s show %s', (instant, zone, text) => expect(momentText(at(instant), zone)).toBe(text));

  it('keep milliseconds', () =>
    expect(wallOf(at('2026-11-20T12:00:00.250Z'), BERLIN)).toBe(at('2026-11-20T13:00:00.250Z')));

  it('begin a day at midnight, not at 24', () => {
    expect(dateText(at('2026-11-19T23:00:00Z'), BERLIN)).toBe('2026-11-20');
    expect(hourText(at('2026-11-19T23:00:00Z'), BERLIN)).toBe('00:00');
  });
});

describe('what was typed', () => {
  it.each([
    ['2026-11-20T13:00', BERLIN, '2026-11-20T12:00:00Z'],
    ['2026-11-20T13:00:05', 'UTC', '2026-11-20T13:00:05Z'],
    // Clocks go from 2 to 3: half past two is left out, and means half an hour after the change.
    ['2026-03-29T01:59', BERLIN, '2026-03-29T00:59:00Z'],
    ['2026-03-29T02:30', BERLIN, '2026-03-29T01:30:00Z'],
    ['2026-03-29T03:00', BERLIN, '2026-03-29T01:00:00Z'],
    // Clocks go from 3 back to 2: half past two comes twice, and means the first.
    ['2026-10-25T02:30', BERLIN, '2026-10-25T00:30:00Z'],
    ['2026-10-25T03:00', BERLIN, '2026-10-25T02:00:00Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
  ])('%s in %s is %s', (text, zone, instant) => expect(fieldInstant(text, zone)).toBe(at(instant)));

  it.each(['', 'now', '2026-13-01T00:00', '2026-11-20', '2026-11-20T13:00Z', '12026-11-20T13:00'])(
    '%j is no moment',
    (text) => expect(fieldInstant(text, BERLIN)).toBeUndefined(),
  );

  it('is what the field shows, on every hour of the days with a change but the one that comes again', () => {
    for (const day of ['2026-03-29', '2026-10-25'])
      for (let hour = 0; hour < 24; hour += 1) {
        const instant = at(`${day}T00:00:00Z`) + hour * 3_600_000;
        if (day === '2026-10-25' && hour === 1) continue;
        expect(fieldInstant(fieldText(instant, BERLIN), BERLIN)).toBe(instant);
        expect(instantOf(wallOf(instant, BERLIN), BERLIN)).toBe(instant);
      }
  });
});

it('says the times of a sentence in a zone', () => {
  const text = 'Read from 2026-11-20T10:00:00.123Z on, up to 2026-11-20T23:30:00Z.';
  expect(withTimes(text, 'Europe/Berlin')).toBe(
    'Read from 2026-11-20 11:00:00 on, up to 2026-11-21 00:30:00.',
  );
});
