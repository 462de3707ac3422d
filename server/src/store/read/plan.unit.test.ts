// What a plan takes for kept counts from where compaction is, however far behind a tier is that is made once its day is over.
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { defineProbe, type Probe } from '../../probes/types.ts';
import { SERVER, SLOW_SERVER } from '../../testing/store/kept-probes.ts';
import { TIERS } from '../layout/tiers.ts';
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
});
