import { describe, expect, it } from 'vitest';
import { remediesOf, unmendedOf } from './coverage-remedies.ts';

type Entry = Parameters<typeof remediesOf>[0][number];

const entry = (probe: string, database_name: string | null, over: Partial<Entry> = {}): Entry => ({
  probe,
  database_name,
  status: 'missing_grant',
  reason: 'It lacks a right.',
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
const NONE: ReadonlySet<string> = new Set();

describe('remedies', () => {
  it('are told once however many probes and databases they mend, the most useful first', () => {
    const connect = (database: string) => ({ mend: `grant connect on database ${database} to m;` });
    const entries = ['a', 'b', 'c'].flatMap((probe) => [
      entry(probe, 'shut', connect('shut')),
      entry(probe, 'other', connect('other')),
    ]);
    entries.push(entry('d', 'shut', connect('shut')));
    expect(remediesOf(entries, NONE)).toMatchObject([
      {
        statement: 'grant connect on database shut to m;',
        database_name: null,
        probes: ['a', 'b', 'c', 'd'],
        databases: ['shut'],
        count: 4,
      },
      { statement: 'grant connect on database other to m;', count: 3 },
    ]);
  });

  it('name the database in which they have to be run, and one that is enough anywhere names none', () => {
    const mend = 'grant usage on schema spock to m; grant select on spock.log to m;';
    const found = remediesOf(
      [
        entry('log', 'a', { mend }),
        entry('log', 'b', { mend }),
        entry('statements', 'a', { mend: 'create extension x;' }),
        entry('statements', 'b', { mend: 'create extension x;' }),
        entry('activity', null, { mend: 'grant pg_read_all_stats to m;' }),
      ],
      new Set(['statements']),
    );
    expect(found.map(({ statement, database_name, count }) => [statement, database_name, count])).toEqual([
      ['create extension x;', null, 2],
      ['grant pg_read_all_stats to m;', null, 1],
      [mend, 'a', 1],
      [mend, 'b', 1],
    ]);
  });

  it('leave out what is well and what nothing mends', () => {
    expect(remediesOf([entry('a', 'x', { status: 'ok', mend: 'select 1;' }), entry('b', 'x')], NONE)).toEqual(
      [],
    );
  });
});

it('what nothing mends is told once for each reason', () => {
  const failing = { status: 'failing', reason: 'It took too long.' } as const;
  expect(
    unmendedOf(
      [
        entry('a', 'x', { status: 'stale', reason: 'Old.' }),
        entry('a', 'x', failing),
        entry('b', 'x', failing),
        entry('b', 'y', failing),
        entry('c', 'x', { status: 'ok' }),
        entry('d', 'x', { ...failing, mend: 'vacuum;' }),
      ],
      new Set(['failing', 'stale']),
    ),
  ).toEqual([
    { ...failing, probes: ['a', 'b'], databases: ['x', 'y'] },
    { status: 'stale', reason: 'Old.', probes: ['a'], databases: ['x'] },
  ]);
});
