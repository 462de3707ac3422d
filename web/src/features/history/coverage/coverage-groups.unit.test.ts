import { describe, expect, it } from 'vitest';
import type { CoverageEntry } from '../../../api/types.ts';
import { countStates, fewOf, isWanted, matrixOf, unmended } from './coverage-groups.ts';

const entry = (
  probe: string,
  database_name: string | null,
  over: Partial<CoverageEntry> = {},
): CoverageEntry => ({
  probe,
  database_name,
  status: 'ok',
  reason: null,
  mend: null,
  checked_at: null,
  collected_at: null,
  took_ms: null,
  row_count: null,
  interval_seconds: 60,
  effective_interval_seconds: 60,
  cost_percent: null,
  ...over,
});
const ALL = { status: '', text: '' };

describe('coverage', () => {
  it('is narrowed by state and by part of a name', () => {
    const one = entry('pg_stat_database', 'Shop', { status: 'masked' });
    expect(isWanted(one, ALL)).toBe(true);
    expect(isWanted(one, { status: 'masked', text: ' shop ' })).toBe(true);
    expect(isWanted(one, { status: 'ok', text: '' })).toBe(false);
    expect(isWanted(one, { status: '', text: 'payroll' })).toBe(false);
  });

  it('counts states, the good one first and then the worst', () => {
    const found = countStates([
      entry('a', null, { status: 'waiting' }),
      entry('b', null, { status: 'failing' }),
      entry('c', null),
    ]);
    expect(found).toEqual([
      { status: 'ok', count: 1 },
      { status: 'failing', count: 1 },
      { status: 'waiting', count: 1 },
    ]);
  });

  it('tells what nothing mends once for each reason', () => {
    const reason = 'It took too long.';
    expect(
      unmended([
        entry('a', 'x', { status: 'stale', reason: 'Old.' }),
        entry('a', 'x', { status: 'failing', reason }),
        entry('b', 'y', { status: 'failing', reason }),
        entry('c', 'x', { status: 'missing_grant', mend: 'grant' }),
        entry('d', 'x', { status: 'not_applicable' }),
        entry('e', 'x', { status: 'disabled' }),
        entry('f', 'x', { status: 'waiting', reason: 'Not collected yet.' }),
      ]),
    ).toEqual([
      { status: 'failing', reason, probes: ['a', 'b'], databases: ['x', 'y'] },
      { status: 'stale', reason: 'Old.', probes: ['a'], databases: ['x'] },
      { status: 'waiting', reason: 'Not collected yet.', probes: ['f'], databases: ['x'] },
    ]);
  });

  it('lays probes out against databases, those with problems first, and no more than there is room for', () => {
    const many = Array.from({ length: 30 }, (_, n) => entry('a', `db${String(n).padStart(2, '0')}`));
    const { databases, more, rows } = matrixOf(
      { probes: [entry('server', null), ...many, entry('b', 'db29', { status: 'missing_grant' })] },
      ALL,
    );
    expect(databases.slice(0, 2)).toEqual(['db29', 'db00']);
    expect([databases.length, more]).toEqual([24, 6]);
    expect(rows.map(({ probe, isFine }) => [probe, isFine])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(rows[0]?.entries.get('db07')?.status).toBe('ok');
  });

  it('tells of a database in which nothing is collected once, and not in each row', () => {
    const shut = { status: 'missing_grant', mend: 'grant connect' } as const;
    const found = matrixOf(
      {
        probes: [
          entry('a', 'open'),
          entry('a', 'shut', shut),
          entry('b', 'open', { status: 'failing' }),
          entry('b', 'shut', shut),
        ],
      },
      ALL,
    );
    expect(found.shut).toEqual(['shut']);
    expect(found.rows.map(({ probe, isFine }) => [probe, isFine])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('names a few', () => {
    expect(fewOf(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
    expect(fewOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });
});
