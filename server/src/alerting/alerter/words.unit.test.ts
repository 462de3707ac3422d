import { expect, it } from 'vitest';
import { shownValue } from '../../kernel/shown-value.ts';
import { shownName } from '../alert-rules/object-names.service.ts';
import { type AlertTextInput, descriptionOf, titleOf } from './words.ts';

const told: AlertTextInput = {
  rule: { title: 'A disk fills up', meaning: 'When it is full, the server stops.' },
  metric: { description: 'Space used; of the whole.', unit: 'percent' },
  operator: '>',
  threshold: 80,
  value: 91.234,
  database_name: '',
  object_name: '/data',
};

it.each([
  [91.234, 'percent', '91.2 %'],
  [104_857_600, 'bytes', '100 MiB'],
  [1536, 'bytes', '1.5 KiB'],
  [12, 'bytes', '12 bytes'],
  [59.44, 'seconds', '59.4 s'],
  [61, 'seconds', '1 min 1 s'],
  [3700, 'seconds', '1 h 1 min'],
  [200_000, 'seconds', '2 days 7 h'],
  [12_345, 'count', '12,345'],
  [0.5, '', '0.5'],
  [2.345_67, 'ms', '2.35 ms'],
] as const)('%d %s is shown as %s', (value, unit, text) => {
  expect(shownValue(value, unit)).toBe(text);
});

it('says what was measured of what, against which threshold, and what it means', () => {
  expect(titleOf(told)).toBe('A disk fills up: /data');
  expect(descriptionOf(told)).toBe('Space used: 91.2 % (threshold 80 %). When it is full, the server stops.');
  const table = { ...told, object_name: 'public.orders', database_name: 'shop' };
  expect(titleOf(table)).toBe('A disk fills up: public.orders in database shop');
  expect(titleOf({ ...told, object_name: '' })).toBe('A disk fills up');
});

it('says no number where the title says it all', () => {
  expect(descriptionOf({ ...told, operator: '==', threshold: 1, value: 1 })).toBe(told.rule.meaning);
});

it('keeps names of servers on one line, and short', () => {
  expect(shownName('a\r\nBcc: x\u202Eb\u2028c')).toBe('a Bcc: x b c');
  expect(shownName('x'.repeat(300))).toHaveLength(200);
});
