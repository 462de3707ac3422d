// The newest figure of a series, and what is not known of it.

import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../../lib/units.ts';
import { figureOf } from './newest-figure.ts';

const TRANSACTIONS = { metrics: ['xact_commit_per_sec', 'xact_rollback_per_sec'] };
const CACHE_HIT = { metrics: ['cache_hit_ratio'] };

const GRID = { from: Date.UTC(2026, 10, 20, 10), to: Date.UTC(2026, 10, 20, 10, 4), buckets: 4 };
const series = (metric: string, values: (number | null)[]) => ({
  ...{ name: metric, metric, unit: 'count/s', description: '' },
  data: values.map((value, bucket) => ({
    time: new Date(GRID.from + bucket * MINUTE_MS).toISOString(),
    value,
  })),
});

it('adds what belongs together, where all of it was measured, and says of when the newest is', () => {
  const found = [
    series('xact_commit_per_sec', [null, 10, 20, 30]),
    series('xact_rollback_per_sec', [1, 2, 3, null]),
  ];
  expect(figureOf(found, TRANSACTIONS, GRID)).toEqual({
    values: [null, 12, 23, null],
    unit: 'count/s',
    newest: { value: 23, from: GRID.from + 2 * MINUTE_MS, to: GRID.from + 3 * MINUTE_MS },
  });
});

it('knows nothing where a part is missing, or nothing was measured', () => {
  expect(figureOf([series('xact_commit_per_sec', [1, 1, 1, 1])], TRANSACTIONS, GRID).newest).toBeUndefined();
  expect(figureOf([], CACHE_HIT, GRID)).toEqual({
    values: [null, null, null, null],
    unit: '',
    newest: undefined,
  });
});
