// What a plan takes for kept counts from where compaction is, however far behind a tier is that is made once its day is over.
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { metricOf } from '../../probes/metrics.ts';
import { probe as STATEMENTS } from '../../probes/pg-stat-statements.ts';
import { defineProbe, type Probe } from '../../probes/types.ts';
import { SERVER, SLOW_SERVER } from '../../testing/store/kept-probes.ts';
import { TIERS } from '../layout/tiers.ts';
import { planHistory } from './history-plan.ts';
import type { PlanRow } from './plan.queries.ts';
import { Plan } from './plan.ts';
import { questionOf } from './question.ts';

const NOW = Date.parse('2026-05-05T03:00:00Z');
const HOURLY = defineProbe({ ...SERVER, name: 'hourly_server', intervalSeconds: 3600 });
const [, M15, H1] = TIERS;

function planOf(probe: Probe, filled: Readonly<Record<string, number>>): Plan {
  const none = { plan: 0, connection_id: null, object_ids: null, database_name: null };
  const rows = Object.entries(filled).map(
    ([name, at]): PlanRow => ({
      ...none,
      part: 'tier',
      name,
      at,
      interval_seconds: null,
      is_declared: null,
      kept_days: name === 'packed' ? 7 : null,
      key: null,
    }),
  );
  const of = { probe, column: 'reads', aggregate: 'sum', connection_ids: [1] } as const;
  return new Plan(questionOf(of, []), rows, false);
}

/** A quarter of an hour before the next day is made. */
const SLOW = { packed: NOW - 2 * HOUR_MS, h1: NOW - 2 * HOUR_MS, m15: NOW - 27 * HOUR_MS };

describe('a tier that is made late', () => {
  it('is not taken to be there where retention has dropped it', () => {
    const plan = planOf(SLOW_SERVER, SLOW);
    expect(M15 && plan.keeps(M15, NOW - 90 * DAY_MS - HOUR_MS)).toBe(false);
    expect(M15 && plan.keeps(M15, NOW - 90 * DAY_MS + 3 * HOUR_MS)).toBe(true);
  });

  it('does not hide that samples are gone, even where it is the only one', () => {
    const plan = planOf(HOURLY, { packed: NOW - 3 * HOUR_MS, h1: NOW - 27 * HOUR_MS });
    expect(plan.hasLostSamples(NOW - 7 * DAY_MS - 4 * HOUR_MS, 1)).toBe(true);
    expect(plan.hasLostSamples(NOW - 6 * DAY_MS, 1)).toBe(false);
    expect(H1 && plan.keeps(H1, NOW - 730 * DAY_MS)).toBe(false);
  });

  it('is left for a coarser one where the day so far would be too many samples', () => {
    const metric = metricOf(STATEMENTS, 'calls_per_sec') ?? expect.fail();
    const wanted = { probe: STATEMENTS, metric, from: NOW - 2 * DAY_MS, to: NOW, now: NOW, kept_days: 7 };
    const more = { interval_seconds: 300, known_since: 0, connections: 1 };
    const secondsOf = (entities: number) =>
      planHistory({ ...wanted, ...more, entities })?.map(({ source, seconds }) => `${source} ${seconds}`);
    expect(secondsOf(500)).toEqual(['samples 300']);
    expect(secondsOf(2000)).toEqual(['rollups 900']);
    expect(secondsOf(5000)).toEqual(['rollups 3600']);
  });
});
