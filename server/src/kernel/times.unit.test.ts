// A time that passes the schema is one that everything behind it can read, and reads alike.
import { expect, it } from 'vitest';
import { isWireTime } from './times.ts';

it.each([
  ...['2026-01-31T12:00:60Z', '2016-12-31T23:59:60Z', '2026-01-31T24:00:00Z', '2026-01-31T23:60:00Z'],
  ...['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-31T12:00:00', '2026-01-31', '12:00', ''],
  ...[
    '2026-01-31T12:00:00+16:00',
    '2026-01-31T12:00:00+05',
    '0000-01-01T00:00:00Z',
    '+012026-01-31T12:00:00Z',
  ],
  ...['0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', '2026-01-31T12:00:61.5+02:00'],
])('%j is none', (text) => expect(isWireTime(text)).toBe(false));

it.each([
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:59.999999999Z', '2026-01-31t12:00:00z'],
  ...['2026-01-31T12:00:00.5+15:59', '2026-01-31T12:00:00-00:00', '2024-02-29T23:59:59+05:45'],
])('%s is one, and reads alike in both ways', (text) => {
  expect(isWireTime(text)).toBe(true);
  expect(Date.parse(text)).toBe(Temporal.Instant.from(text.toUpperCase()).epochMilliseconds);
});
