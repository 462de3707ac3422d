// Moments as PostgreSQL writes them, against the engine's own calendar.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { momentOf, momentText } from './rows.ts';

/** Beyond 2255 microseconds are no exact numbers any more. */
const micros = fc
  .integer({ min: Date.UTC(1900, 0), max: Date.UTC(2250, 0) })
  .chain((ms) => fc.integer({ min: 0, max: 999 }).map((rest) => ms * 1000 + rest));

it('are read as they were written, with as many places as PostgreSQL writes', () => {
  fc.assert(
    fc.property(micros, (at) => {
      const [date = '', time = ''] = momentText(at).slice(0, -1).split('T');
      const [seconds = '', fraction = ''] = time.split('.');
      const short = fraction.replace(/0+$/, '');
      expect(momentOf(`${date} ${seconds}${short === '' ? '' : `.${short}`}+00`)).toBe(at);
    }),
  );
});

it.each([
  'infinity',
  '-infinity',
  '',
  '2026-11-22',
  '2026-11-22 10:00:00',
  '2026-11-22 10:00:00+01',
  '2026-11-22 10:00:00.+00',
  '2026-11-22T10:00:00+00',
  '2026-11-22 10:00:00.1234567+00',
  '2026-1a-22 10:00:00+00',
  '0044-03-15 10:00:00+00 BC',
])('%j is none', (text) => expect(momentOf(text)).toBeUndefined());
