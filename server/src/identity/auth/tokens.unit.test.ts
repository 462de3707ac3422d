import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { newToken, parseExpiresIn, tokenHash, tokenPrefix } from './tokens.ts';

describe('tokens', () => {
  it('are 32 random bytes in base64url behind their prefix', () => {
    expect(newToken('').reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(newToken('mat_').reveal()).toMatch(/^mat_[A-Za-z0-9_-]{43}$/);
    expect(newToken('mlk_').reveal()).toMatch(/^mlk_[A-Za-z0-9_-]{43}$/);
    expect(newToken('').reveal()).not.toBe(newToken('').reveal());
  });

  it('show nothing of themselves in the prefix of a list', () => {
    const token = newToken('mat_');
    const hex = createHash('sha256').update(token.reveal()).digest('hex');
    expect(tokenPrefix(tokenHash(token))).toBe(hex.slice(0, 12));
    expect(JSON.stringify({ token })).toBe('{"token":"[redacted]"}');
  });
});

describe('expires_in', () => {
  it.each([
    ['1h', HOUR_MS],
    ['36h', 36 * HOUR_MS],
    ['7d', 7 * DAY_MS],
    ['2w', 14 * DAY_MS],
    ['6m', 180 * DAY_MS],
    ['1y', 365 * DAY_MS],
    ['10y', 3650 * DAY_MS],
    ['87600h', 3650 * DAY_MS],
  ])('%s is %d ms', (text, ms) => {
    expect(parseExpiresIn(text)).toEqual({ ok: true, ms });
  });

  it.each(['', 'never'])('%j is no limit', (text) => {
    expect(parseExpiresIn(text)).toEqual({ ok: true, ms: undefined });
  });

  it.each([
    '0d',
    '-1d',
    '1',
    'd',
    '1D',
    '1 d',
    ' 1d',
    '1d ',
    '1.5h',
    '01d',
    '1s',
    '1min',
    '11y',
    '87601h',
    '999999y',
    '1d1h',
    'Never',
    '1e3d',
    '99999999999999999999h',
  ])('%j is refused', (text) => {
    expect(parseExpiresIn(text)).toEqual({ ok: false });
  });
});
