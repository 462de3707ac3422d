// From what the past of a metric is read, by how many values that would be.
import { expect, it } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { metricOf } from '../../probes/metrics.ts';
import { probe as STATEMENTS } from '../../probes/pg-stat-statements.ts';
import { planHistory } from './history-plan.ts';

const NOW = Date.parse('2026-05-05T03:00:00Z');

it('a tier that is made late is left for a coarser one where the day so far would be too many samples', () => {
  const metric = metricOf(STATEMENTS, 'calls_per_sec') ?? expect.fail();
  const wanted = { probe: STATEMENTS, metric, from: NOW - 2 * DAY_MS, to: NOW, now: NOW, kept_days: 7 };
  const more = { interval_seconds: 300, known_since: 0, connections: 1 };
  const secondsOf = (entities: number) =>
    planHistory({ ...wanted, ...more, entities })?.map(({ source, seconds }) => `${source} ${seconds}`);
  expect(secondsOf(500)).toEqual(['samples 300']);
  expect(secondsOf(2000)).toEqual(['rollups 900']);
  expect(secondsOf(5000)).toEqual(['rollups 3600']);
});
