import { describe, expect, it } from 'vitest';
import {
  countOf,
  formatBytes,
  formatCount,
  formatHertz,
  formatMilliseconds,
  formatShare,
  percentOf,
} from './format.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1024, '1 kB'],
    [1536, '1.5 kB'],
    [8192, '8 kB'],
    [44023414784, '41 GB'],
    [1099511627776, '1 TB'],
    [1024 ** 5 * 3.25, '3.25 PB'],
    [1024 ** 6 * 2, '2048 PB'],
    [-1536, '−1.5 kB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('never shows 1024 of a unit', () => {
    expect(formatBytes(1024 ** 2 - 1)).toBe('1 MB');
    expect(formatBytes(1024 ** 3 - 1)).toBe('1 GB');
  });
});

it('separates thousands and knows one from many', () => {
  expect(formatCount(1234567)).toBe('1,234,567');
  expect(countOf(1, 'database')).toBe('1 database');
  expect(countOf(0, 'database')).toBe('0 databases');
  expect(countOf(2, 'entry', 'entries')).toBe('2 entries');
});

it('says clock speeds and durations in fitting units', () => {
  expect(formatHertz(2450000000)).toBe('2.45 GHz');
  expect(formatHertz(800000000)).toBe('800 MHz');
  expect(formatMilliseconds(0)).toBe('<0.1 ms');
  expect(formatMilliseconds(0.44)).toBe('0.4 ms');
  expect(formatMilliseconds(38.2)).toBe('38 ms');
  expect(formatMilliseconds(1530)).toBe('1.53 s');
});

it('says small shares with the digits they take', () => {
  expect(formatShare(0)).toBe('0 %');
  expect(formatShare(0.00042)).toBe('<0.001 %');
  expect(formatShare(0.01234)).toBe('0.012 %');
  expect(formatShare(12.34)).toBe('12.3 %');
});

it('says a share only when both sides are known', () => {
  expect(percentOf(50, 200)).toBe(25);
  expect(percentOf(300, 200)).toBe(100);
  expect(percentOf(null, 200)).toBeNull();
  expect(percentOf(5, null)).toBeNull();
  expect(percentOf(5, 0)).toBeNull();
});
