// What is kept of plans from one reading to the next: the good plan is what later ones are measured by, and counters may begin anew.
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { Facts } from './facts.ts';
import type { KeptPlan, KeptPlans } from './kept-plan.ts';
import { check } from './plan-changed.ts';
import { plansNow } from './plans-kept.ts';

interface Seen {
  plan: string;
  calls: number;
  time_ms: number;
}

const reading = (at: number, rows: readonly Record<string, unknown>[]) => [
  { database_name: 'shop', collected_at: at, rows },
];

/** A reading of one statement, which is half of all. */
function factsOf(at: number, { plan, calls, time_ms }: Seen, plans: KeptPlans): Facts {
  const statements = [{ queryid: '7', plan, calls, time_ms }];
  const table = { relid: 1, schemaname: 'public', relname: 'orders', table_bytes: 1, advice: { statements } };
  return new Facts({
    now: at,
    plans,
    readings: new Map([
      ['pg_index_advice', reading(at, [table])],
      ['pg_costly_statements', reading(at, [{ queryid: '7', total_exec_time: 2 * time_ms }])],
    ]),
  });
}

/** What is found after each of these readings, an hour after one another. */
function played(...all: readonly Seen[]) {
  let plans: ReadonlyMap<string, KeptPlan> = new Map();
  return all.map((seen, n) => {
    const facts = factsOf(n * HOUR_MS, seen, plans);
    const { found } = check.judge(facts);
    plans = plansNow(plans, facts);
    return found.map(({ severity, figure }) => [severity, figure?.value, figure?.promised]);
  });
}

const FAST = { plan: 'Index Scan on orders using a', calls: 1000, time_ms: 1000 };

describe('a plan that changed', () => {
  it('is found when its statement takes longer, and as long as it does', () => {
    const slow = { plan: 'Seq Scan on orders', calls: 1100, time_ms: 3000 };
    const later = { plan: 'Seq Scan on orders', calls: 6000, time_ms: 101_000 };
    expect(played(FAST, slow, later)).toEqual([[], [['info', 20, 1]], [['warning', 20, 1]]]);
  });

  it('is nothing to tell of while its statement is as fast as before, or was seldom executed', () => {
    const asFast = { plan: 'Seq Scan on orders', calls: 2000, time_ms: 2400 };
    const seldom = { plan: 'Seq Scan on orders', calls: 1019, time_ms: 3000 };
    expect(played(FAST, asFast)).toEqual([[], []]);
    expect(played(FAST, seldom)).toEqual([[], []]);
    expect(played(seldom, { ...FAST, calls: 1100, time_ms: 9000 })).toEqual([
      [],
      [['info', expect.closeTo(74.07), expect.closeTo(2.944)]],
    ]);
  });

  it('is no statement that slowed down with the plan that it had', () => {
    expect(played(FAST, { ...FAST, calls: 2000, time_ms: 50_000 })).toEqual([[], []]);
  });

  it('is measured by the good plan, also when a second bad one follows', () => {
    const slow = { plan: 'Seq Scan on orders', calls: 1100, time_ms: 3000 };
    const other = { plan: 'Bitmap Heap Scan on orders', calls: 1200, time_ms: 5000 };
    const good = { plan: 'Index Scan on orders using b', calls: 1300, time_ms: 5100 };
    expect(played(FAST, slow, other, good)).toEqual([[], [['info', 20, 1]], [['info', 20, 1]], []]);
    expect(played(FAST, slow, { ...FAST, calls: 1200, time_ms: 9000 })).toEqual([[], [['info', 20, 1]], []]);
  });

  it('is measured from where counters began anew', () => {
    expect(played(FAST, { plan: 'Seq Scan on orders', calls: 50, time_ms: 500 })).toEqual([
      [],
      [['info', 10, 1]],
    ]);
  });

  it('is unknown where nothing is kept', () => {
    const { found, unknown } = check.judge(new Facts({ now: 0, readings: new Map() }));
    expect([found, unknown?.length]).toEqual([[], 1]);
  });
});
