// Figures of answers against the answers of steps: what counts as the same, and what does not.
import { describe, expect, it } from 'vitest';
import { evidenceOf } from './evidence.ts';

const proven = (text: string, ...answers: string[]) =>
  evidenceOf(
    text,
    answers.map((answer, index) => ({ number: index + 1, text: answer, link: `/servers/${index + 1}` })),
  ).map(({ text: told, is_proven }) => [told, is_proven]);

describe('a figure is proven by', () => {
  it.each([
    ['It has 1.2 GB.', 'size\n1234567890', '1.2 GB'],
    ['It has 1.1 GiB.', 'size\n1234567890', '1.1 GiB'],
    ['It has 128 MB.', 'shared_buffers 16384', '128 MB'],
    ['It has 1,234 rows.', 'rows\n1234', '1,234'],
    ['Hits are 93 %.', 'ratio\n0.9312', '93 %'],
    ['Hits are 93%.', 'ratio\n93.12', '93%'],
    ['It took 2.5 s.', 'mean_ms\n2496.1', '2.5 s'],
    ['It took 2500 ms.', 'waited 2.5 s', '2500 ms'],
    ['For 5 minutes.', 'seconds\n300', '5 minutes'],
    ['1.2 million rows.', 'n\n1234567', '1.2 million'],
    ['About 12k of them.', 'n\n12345', '12k'],
    ['Since 12:34.', '2026-11-22T12:34:56Z', '12:34'],
    ['At 2026-11-22T12:34:56Z.', '2026-11-22 12:34:56+00', '2026-11-22T12:34:56Z'],
    ['Session 4711 waits.', 'pid 4711 waits', '4711'],
    ['It is 3.14 of them.', '3.14159', '3.14'],
  ])('%s from %s', (text, answer, told) => {
    expect(proven(text, answer)).toEqual([[told, true]]);
  });
});

describe('a figure is not proven by', () => {
  it.each([
    ['It has 1.3 GB.', 'size\n1234567890'],
    ['Hits are 94 %.', 'ratio\n0.9312'],
    ['It took 2.6 s.', 'mean_ms\n2496.1'],
    ['It has 1,235 rows.', 'rows\n1234'],
    ['Since 12:35.', '2026-11-22T12:34:56Z'],
    ['There are 40 of them.', 'there are 4 and 0'],
    ['There are 7.', ''],
  ])('%s from %s', (text, answer) => {
    expect(proven(text, answer).map(([, is]) => is)).toEqual([false]);
  });
});

it('no figures are numbers of lists, names, code and versions', () => {
  const text =
    '1. Look at pg_stat_io2 and `work_mem = 64` on PostgreSQL 17.2.\n```sql\nselect 5;\n```\nv2 and $1';
  expect(proven(text)).toEqual([]);
});

it('tells where it stands, by which step, with its page', () => {
  const [first] = evidenceOf('Well: 42 rows.', [
    { number: 1, text: 'nothing', link: null },
    { number: 2, text: 'rows\n42', link: '/servers/7?at=2026-11-22T12:00:00Z' },
  ]);
  expect(first).toEqual({
    ...{ text: '42', start: 6, end: 8, is_proven: true },
    ...{ step: 2, link: '/servers/7?at=2026-11-22T12:00:00Z' },
  });
});

it('takes time by the length of the texts, whatever is in them', () => {
  const texts = [
    '1,'.repeat(100_000),
    '9'.repeat(200_000),
    '`'.repeat(200_000),
    '1:'.repeat(100_000),
    '12 '.repeat(70_000),
  ];
  for (const text of texts)
    expect(evidenceOf(text, [{ number: 1, text, link: null }]).length).toBeLessThanOrEqual(2000);
});
