// Events as flags, and what a legend says of a line.
import { expect, it } from 'vitest';
import { metricName } from '../../features/history/activity/metric-names.ts';
import { flagsOf } from './flags.ts';
import { gapsOf, shownAlone, summaryOf } from './series.ts';

const GRID = { from: 0, to: 1000, buckets: 10 };
const FRAME = { grid: GRID, top: 1, width: 100, height: 10 };
const event = (id: string, at: number, severity?: 'info' | 'warning' | 'critical') => ({
  ...{ id, at, title: `Title ${id}` },
  ...(severity && { severity }),
});

it('makes one flag of those that would stand on each other, with the gravest of them', () => {
  const events = [
    event('c', 500),
    event('a', 100, 'warning'),
    event('b', 150, 'critical'),
    event('d', 590),
    event('e', 710),
    event('f', 850),
  ];
  expect(flagsOf(events, FRAME)).toEqual([
    { key: 'a', x: 10, severity: 'critical', titles: ['Title a', 'Title b'] },
    { key: 'c', x: 50, severity: undefined, titles: ['Title c', 'Title d', 'Title e'] },
    { key: 'f', x: 85, severity: undefined, titles: ['Title f'] },
  ]);
});

it('sums up what was measured, and nothing where nothing was', () => {
  expect(summaryOf([null, 4, 0, 2])).toEqual({ least: 0, mean: 2, largest: 4 });
  expect(summaryOf([null, null])).toEqual({ least: null, mean: null, largest: null });
});

it('shows gaps between values only, where no line has any', () => {
  const line = (name: string, values: (number | null)[]) => ({ name, values });
  const lines = [line('a', [null, 1, null, null, 1, null]), line('b', [null, null, null, 2, null, null])];
  expect(gapsOf(lines, { from: 0, to: 600, buckets: 6 })).toEqual([{ from: 200, to: 300 }]);
  expect(gapsOf([line('a', [null, null])], { from: 0, to: 200, buckets: 2 })).toEqual([]);
});

it('leaves the values of the others out where some are shown alone', () => {
  const lines = [
    { name: 'a', values: [1] },
    { name: 'b', values: [2] },
  ];
  expect(shownAlone(lines, [])).toBe(lines);
  expect(shownAlone(lines, ['b']).map(({ values }) => values)).toEqual([[null], [2]]);
});

it.each([
  ['xact_commit_per_sec', undefined, 'Commits'],
  ['xact_commit_per_sec', 'xact_commit_per_sec (conn 2)', 'Commits (conn 2)'],
  ['dead_tuple_ratio', undefined, 'Dead tuple ratio'],
  ['deadlocks_delta', undefined, 'Deadlocks'],
  ['max_lock_wait_seconds', undefined, 'Longest lock wait'],
  ['constructor', undefined, 'Constructor'],
])('calls %s (%s) %s', (metric, name, label) => expect(metricName(metric, name)).toBe(label));
