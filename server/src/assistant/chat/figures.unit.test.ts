// Figures of an answer against what was looked up: roundings, units, moments, what is no figure, and how long it takes.
import { describe, expect, it } from 'vitest';
import { evidenceOf, type StepAnswer } from './evidence.ts';

const table = [
  'Tables of connection 1, 2 of 2 rows',
  'Source: collected samples at 2026-11-22T12:04:07Z',
  'name\tsize_bytes\ttotal_ms\tshare\tdead_rows\tage',
  'orders\t1288490189\t4711.25\t0.9312\t1234567\t00:04:50',
  'items\t52428800\t12\t0.05\t0\t1 day 02:00:00',
].join('\n');
const sources: StepAnswer[] = [
  { number: 1, text: 'version: 17.2\npid 4711 waits', rows: 7, link: null },
  { number: 2, text: table, link: '/servers/1?tab=tables' },
  {
    number: 3,
    link: null,
    text: 'shared_buffers 16384\nname\tsetting\tunit\nwal_buffers\t512\t8kB\nstatement_timeout\t30000\tms',
  },
];

const judged = (answer: string) =>
  evidenceOf(answer, sources).map(({ text, is_proven, step }) => [text, is_proven, step]);

describe('a figure is proven', () => {
  it.each([
    ['It has 1,234,567 dead rows.', '1,234,567', 2],
    ['It has 1234567 dead rows.', '1234567', 2],
    ['It has 1.23 million dead rows.', '1.23 million', 2],
    ['It has 1.2M dead rows.', '1.2M', 2],
    ['The table takes 1.2 GiB.', '1.2 GiB', 2],
    ['The table takes 1.2 GB.', '1.2 GB', 2],
    ['The table takes 50 MB.', '50 MB', 2],
    ['That is 93 % of it.', '93 %', 2],
    ['That is 93.12% of it.', '93.12%', 2],
    ['It took 4.7 s.', '4.7 s', 2],
    ['It took 4,711 ms.', '4,711 ms', 2],
    ['Idle for 4 min 50 s.', '4 min 50 s', 2],
    ['Idle for 290 seconds.', '290 seconds', 2],
    ['About 1,200,000 rows are dead.', '1,200,000', 2],
    ['At 12:04 it began.', '12:04', 2],
    ['At 2026-11-22 12:04 it began.', '2026-11-22 12:04', 2],
    ['Session `4711` waits.', '4711', 1],
    ['Version 17.2.', '17.2', 1],
    ['At 2026-11-22T12:04:07.123Z it began.', '2026-11-22T12:04:07.123Z', 2],
    ['shared_buffers is 128 MB.', '128 MB', 3],
    ['wal_buffers is 4 MiB.', '4 MiB', 3],
    ['The limit is 30 s.', '30 s', 3],
    ['There are 7 of them.', '7', 1],
  ])('%s', (answer, text, step) => {
    expect(judged(answer)).toEqual([[text, true, step]]);
  });

  it('with the page that shows it', () => {
    expect(evidenceOf('It takes 50 MB.', sources)).toEqual([
      { text: '50 MB', start: 9, end: 14, is_proven: true, step: 2, link: '/servers/1?tab=tables' },
    ]);
  });
});

describe('a figure is not proven', () => {
  it.each([
    ['It has 1,234,999 dead rows.', '1,234,999'],
    ['It has 1.24 million dead rows.', '1.24 million'],
    ['The table takes 1.5 GB.', '1.5 GB'],
    ['The table takes 12 GB.', '12 GB'],
    ['That is 94 % of it.', '94 %'],
    ['It took 4.9 s.', '4.9 s'],
    ['It took 12 minutes.', '12 minutes'],
    ['Idle for 4 min 55 s.', '4 min 55 s'],
    ['About 1,400,000 rows are dead.', '1,400,000'],
    ['At 12:05 it began.', '12:05'],
    ['Version 16.9.', '16.9'],
    ['It reads `1.9 GB` of it.', '1.9 GB'],
    ['From 10.0.0.1.', '10.0.0.1'],
  ])('%s', (answer, text) => {
    expect(judged(answer)).toEqual([[text, false, undefined]]);
  });

  it('where nothing was looked up', () => {
    expect(evidenceOf('It takes 50 MB.', [])[0]?.is_proven).toBe(false);
  });
});

describe('no figure', () => {
  it.each([
    'orders_2026 and idx17 and pg_stat_statements',
    'where id = $1',
    'See [the page](/servers/99?at=12) or https://example.org/42.',
    '```sql\nselect 99 from t limit 88\n```',
    '1. First\n2) Second',
    'Set `work_mem = 64` on PostgreSQL 17.2',
    'the 2nd and 3rd, UTF-8, 550e8400-e29b',
  ])('is in %j', (answer) => {
    expect(judged(answer)).toEqual([]);
  });
});

it('keeps the places of figures behind code and links', () => {
  const answer = 'See [this](/a/1).\n```sql\nselect 5\n```\nIt takes 50 MB.';
  const [found] = evidenceOf(answer, sources);
  expect(answer.slice(found?.start, found?.end)).toBe('50 MB');
});

it.each([
  ['digits', '1'.repeat(400_000)],
  ['groups', '1,234'.repeat(80_000)],
  ['dots', '1.'.repeat(200_000)],
  ['tabs', `a\tb\n${'1\t'.repeat(200_000)}`],
  ['spaces', ' '.repeat(400_000)],
  ['brackets', ']('.repeat(200_000)],
  ['numbers', Array.from({ length: 60_000 }, (_none, n) => n).join(' ')],
])('ends within the time of a test: %s', (_what, text) => {
  expect(evidenceOf(text, [{ number: 1, text, link: null }]).length).toBeLessThanOrEqual(500);
});
