import { expect, it } from 'vitest';
import { shownValue } from '../../kernel/shown-value.ts';
import { shownName } from '../alert-rules/known-rules.service.ts';
import { type AlertTextInput, descriptionOf, titleOf } from './alert-texts.ts';

const told: AlertTextInput = {
  rule: {
    title: 'High disk usage',
    joins: ':',
    reading: 'Disk usage is {value}',
    meaning: 'When it is full, the server stops.',
  },
  metric: { name: 'used_percent', description: 'Space used; of the whole.', unit: 'percent' },
  operator: '>',
  threshold: 80,
  value: 91.234,
  database_name: '',
  object_name: '/data',
};

it.each([
  [91.234, 'percent', '91.2 %'],
  [104_857_600, 'bytes', '100 MB'],
  [1536, 'bytes', '1.5 kB'],
  [12, 'bytes', '12 bytes'],
  [59.44, 'seconds', '59.4 s'],
  [61, 'seconds', '1 min 1 s'],
  [3700, 'seconds', '1 h 1 min'],
  [142, 'seconds', '2 min 22 s'],
  [1800, 'seconds', '30 min'],
  [200_000, 'seconds', '2 days 7 h'],
  [1.5, 'hours', '1 h 30 min'],
  [1, 'days', '1 day'],
  [5.28, 'days', '5.28 days'],
  [2500, 'ms', '2.5 s'],
  [2048, 'bytes/s', '2 kB/s'],
  [12_345, 'count', '12,345'],
  [0.5, '', '0.5'],
  [2.345_67, 'ms', '2.35 ms'],
] as const)('%d %s is shown as %s', (value, unit, text) => {
  expect(shownValue(value, unit)).toBe(text);
});

it('gives the value, the threshold and why it matters', () => {
  expect(titleOf(told)).toBe('High disk usage: "/data"');
  expect(descriptionOf(told)).toBe(
    'Disk usage is 91.2 % (threshold 80 %). When it is full, the server stops.',
  );
  const says = '9 GB of 10 GB';
  expect(descriptionOf({ ...told, says })).toMatch(
    /^Disk usage is 91\.2 % \(9 GB of 10 GB; threshold 80 %\)\. /,
  );
  expect(descriptionOf({ ...told, says, because: 'A file grew.' })).toMatch(
    /threshold 80 %\)\. A file grew\. When/,
  );
  const rule = { ...told.rule, title: 'Too many dead tuples', joins: 'in' as const };
  const table = { ...told, rule, object_name: 'public.orders', database_name: 'shop' };
  expect(titleOf(table)).toBe('Too many dead tuples in "public.orders" in database "shop"');
  expect(titleOf({ ...told, object_name: '' })).toBe('High disk usage');
  expect(titleOf({ ...told, object_name: '', database_name: 'shop' })).toBe(
    'High disk usage in database "shop"',
  );
  expect(titleOf({ ...told, object_name: 'statement -17' })).toBe('High disk usage -17');
});

it('says on which side of its threshold a value is that rounds to it', () => {
  const of = (value: number, reading?: string) =>
    descriptionOf({ ...told, value, rule: { ...told.rule, ...(reading !== undefined && { reading }) } });
  expect(of(80.01)).toMatch(/^Disk usage is just over 80 % \(threshold 80 %\)/);
  expect(of(79.99, '{value} is used')).toMatch(/^Just under 80 % is used \(/);
  expect(of(80)).toMatch(/^Disk usage is 80 % \(/);
});

it('takes the text of the metric where a rule has no sentence for its figure', () => {
  const rule = { title: 'High disk usage', meaning: 'When it is full, the server stops.' };
  expect(descriptionOf({ ...told, rule })).toMatch(/^Space used: 91\.2 % \(threshold 80 %\)\. /);
});

it('says no number where the title says it all', () => {
  expect(descriptionOf({ ...told, operator: '==', threshold: 1, value: 1 })).toBe(told.rule.meaning);
});

it('keeps names of servers on one line, and short', () => {
  expect(shownName('a\r\nBcc: x\u202Eb\u2028c')).toBe('a Bcc: x b c');
  expect(shownName('x'.repeat(300))).toHaveLength(200);
});

it('a title names what the metric only counts, and says how many more there are', () => {
  const rule = { ...told.rule, title: 'Settings pending restart' };
  const title = (names: string[], object_name = '') =>
    titleOf({ ...told, rule, names, object_name, database_name: '' });
  expect(title([])).toBe('Settings pending restart');
  expect(title(['a'])).toBe('Settings pending restart: "a"');
  expect(title(['a', 'b', 'c', 'd'])).toBe('Settings pending restart: "a", "b", "c" and 1 more');
});
