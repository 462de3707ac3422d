import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineProbe } from '../probes/types.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { type Factors, loadPercent, type ProbeCost, stretch } from './budget.ts';
import { CostMeter } from './cost-meter.ts';
import { COLLECTOR, OwnCost } from './own-cost.ts';

const NONE: Factors = new Map();
const cost = (name: string, interval_ms: number, round_ms: number): ProbeCost => ({
  name,
  interval_ms,
  round_ms,
  isFixed: false,
});

describe('the budget', () => {
  it('leaves everything alone while it holds', () => {
    const costs = [cost('a', 60_000, 100), cost('b', 300_000, 300)];
    expect(loadPercent(costs, NONE)).toBeCloseTo(100 / 600 + 0.1);
    expect(stretch(costs, NONE, 0.5)).toEqual(new Map());
  });

  it('slows the dearest down first, and only as far as it takes', () => {
    const costs = [cost('cheap', 60_000, 60), cost('dear', 60_000, 600), cost('middling', 60_000, 120)];
    const factors = stretch(costs, NONE, 0.5);
    expect(factors).toEqual(new Map([['dear', 8]]));
    expect(loadPercent(costs, factors)).toBeLessThanOrEqual(0.5);
  });

  it('never slows a fixed one down, and no other one in its place', () => {
    const costs = [{ ...cost('pulse', 1000, 100), isFixed: true }, cost('a', 60_000, 6)];
    expect(stretch(costs, NONE, 0.5)).toEqual(NONE);
    expect(stretch([...costs, cost('dear', 60_000, 600)], NONE, 0.5)).toEqual(new Map([['dear', 4]]));
  });

  it('lets the dearest alone give way, whatever the others are by then', () => {
    const costs = [cost('dear', 300_000, 9000), cost('a', 60_000, 120), cost('b', 60_000, 120)];
    // 3 % beside twice 0.2 %: at 0.094 % the dearest is the cheapest of them.
    expect(stretch(costs, NONE, 0.5)).toEqual(new Map([['dear', 32]]));
  });

  it('keeps the floor of what guards against disaster, and slows nothing else for what is left of it', () => {
    const guard = { ...cost('locks', 10_000, 2000), guard_ms: 60_000 };
    expect(stretch([guard, cost('a', 60_000, 60)], NONE, 0.5)).toEqual(new Map([['locks', 4]]));
    const rare = { ...cost('rare', 300_000, 9000), guard_ms: 60_000 };
    expect(stretch([rare, cost('a', 60_000, 60)], NONE, 0.5)).toEqual(NONE);
  });

  it('gives intervals back step by step, with room to spare', () => {
    const slowed = new Map([['a', 4]]);
    expect(stretch([cost('a', 60_000, 600)], slowed, 0.5)).toEqual(slowed);
    // 0.25 % at half the factor is within 0.4 %, 0.5 % at a quarter is not.
    expect(stretch([cost('a', 60_000, 600)], new Map([['a', 16]]), 0.5)).toEqual(new Map([['a', 4]]));
    expect(stretch([cost('a', 60_000, 6)], slowed, 0.5)).toEqual(new Map());
  });

  it('counts a probe that waits for want of anything going on by how it waits', () => {
    const adapted = { ...cost('a', 1000, 30), adaptive_ms: 10_000 };
    expect(loadPercent([adapted], NONE)).toBeCloseTo(0.3);
    expect(stretch([adapted], NONE, 0.5)).toEqual(NONE);
    expect(stretch([{ ...adapted, adaptive_ms: 1000 }], NONE, 0.5)).toEqual(new Map([['a', 8]]));
    expect(stretch([adapted], new Map([['a', 8]]), 0.5)).toEqual(NONE);
  });

  it('is within the budget whenever that is possible, and does not go to and fro', () => {
    const one = fc.record({
      interval: fc.integer({ min: 1, max: 3600 }),
      ms: fc.integer({ min: 0, max: 2000 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), (list) => {
        const costs = list.map(({ interval, ms }, index) => cost(`p${index}`, interval * 1000, ms));
        const factors = stretch(costs, NONE, 0.5);
        // What is left of those that cannot be lowered any further is nobody else's to make up for.
        const rest = costs.filter(({ name }) => factors.get(name) !== 64);
        expect(loadPercent(rest, factors)).toBeLessThanOrEqual(0.5 + 1e-9);
        const again = stretch(costs, factors, 0.5);
        expect(stretch(costs, again, 0.5)).toEqual(again);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the cost meter', () => {
  it('forgets old runs within the window, and sums up the last hour', () => {
    const clock = manualClock(0);
    const meter = new CostMeter();
    const note = (took_ms: number) => meter.note('a', { took_ms, rows: 2 }, clock.monotonic());
    for (let run = 0; run < 10; run += 1) {
      note(1000);
      clock.advance(60_000);
    }
    expect(meter.meanMs('a')).toBeCloseTo(1000);
    for (let run = 0; run < 20; run += 1) {
      note(10);
      clock.advance(60_000);
    }
    expect(meter.meanMs('a')).toBeLessThan(40);
    expect(meter.hour('a', clock.monotonic())).toEqual({
      since: 0,
      runs: 30,
      total_ms: 10_200,
      max_ms: 1000,
      rows: 60,
      bytes: null,
    });
    clock.advance(2 * 3_600_000);
    expect(meter.hour('a', clock.monotonic())).toMatchObject({ runs: 0, total_ms: 0, max_ms: 0 });
    expect(meter.meanMs('other')).toBeUndefined();
  });

  it('adds to the runs of a probe what was spent beside them', () => {
    const meter = new CostMeter();
    meter.add('a', 30, 0);
    expect(meter.meanMs('a')).toBeUndefined();
    meter.note('a', { took_ms: 10, rows: 1 }, 0);
    expect(meter.meanMs('a')).toBeCloseTo(40);
    expect(meter.hour('a', 1)).toMatchObject({ runs: 1, total_ms: 40, max_ms: 10 });
  });

  it('counts bytes only where somebody counted them', () => {
    const meter = new CostMeter();
    meter.note('a', { took_ms: 1, rows: 1 }, 0);
    meter.note('a', { took_ms: 1, rows: 1, bytes: 5 }, 1);
    expect(meter.hour('a', 2).bytes).toBe(5);
  });
});

describe('the cost of collecting from a server', () => {
  const columns = [{ name: 'a', type: 'integer', kind: 'gauge', description: '' }] as const;
  const common = {
    description: '',
    retentionDays: 7,
    keeps: 'snapshot',
    sql: () => 'select 1',
    columns,
  } as const;
  const dear = defineProbe({ ...common, name: 'dear', level: 'D', intervalSeconds: 60 });
  const ping = defineProbe({
    ...common,
    name: 'ping',
    level: 'S',
    intervalSeconds: 30,
    roundTripColumn: 'a',
  });
  const planned = [
    { probe: dear, reads: 10 },
    { probe: ping, reads: 1 },
  ];

  it('slows a probe down while it is dear, says so, and comes back by itself', () => {
    const clock = manualClock(0);
    const own = new OwnCost({ budgetPercent: 0.5 });
    const round = (took_ms: number) => {
      for (let read = 0; read < 10; read += 1) own.note('dear', { took_ms, rows: 1 }, clock.monotonic());
      const isSlowed = own.factors.size > 0;
      const isWithin = own.isWithinBudget((tell) => {
        for (const { probe, reads } of planned) tell(probe, reads, 0);
      });
      const factors = own.settle(planned, clock.monotonic());
      // Nothing is to be settled exactly where it says so.
      expect(isWithin).toBe(!isSlowed && factors === undefined);
      return factors;
    };
    expect(round(10)).toBeUndefined();
    clock.advance(60_000);
    expect(round(500)?.get('dear')).toBeGreaterThanOrEqual(8);
    expect(own.load(planned, clock.monotonic())).toBeLessThanOrEqual(0.5);
    const factor = own.factors.get('dear') ?? 1;
    const reportOf = () => own.report(planned, clock.monotonic()).find(({ probe }) => probe === 'dear');
    expect(reportOf()).toMatchObject({
      probe: 'dear',
      interval_seconds: 60 * factor,
      note: 'Slowed down to stay within the budget of 0.5 % of one core.',
      runs: 20,
    });
    for (let later = 0; later < 10 && own.factors.size > 0; later += 1) {
      clock.advance(60_000 * (own.factors.get('dear') ?? 1));
      round(10);
    }
    expect(own.factors.size).toBe(0);
    expect(reportOf()).toMatchObject({ interval_seconds: 60, note: null });
  });

  it('lets further readings come one after the other, as far apart as they may cost', () => {
    const own = new OwnCost({ budgetPercent: 0.5 });
    own.note('dear', { took_ms: 300, rows: 1 }, 0);
    own.note('ping', { took_ms: 1, rows: 1 }, 0);
    expect(own.extraFrom('ping', 0)).toBe(200);
    // 0.5 % of a minute are 300 ms.
    expect(own.extraFrom('dear', 0)).toBe(60_200);
    expect(own.extraFrom('dear', 0)).toBe(120_200);
    expect(own.extraFrom('ping', 500_000)).toBe(500_200);
    expect(own.extraFrom('never read', 500_000)).toBeUndefined();
  });

  it('counts its own questions as they come, and its sessions at their most', () => {
    const own = new OwnCost({ budgetPercent: 0.5 });
    own.opened();
    own.opened();
    own.closed();
    own.note(COLLECTOR, { took_ms: 300, rows: 0 }, 0);
    expect(own.load(planned, 0)).toBeCloseTo(0.1);
    expect(own.report(planned, 0)).toMatchObject([{ probe: COLLECTOR, sessions: 2, total_ms: 300 }]);
    expect(own.report(planned, 0)).toMatchObject([{ sessions: 1 }]);
  });

  it('tells what has changed, and everything once an hour or where it was not written down', () => {
    const clock = manualClock(0);
    const own = new OwnCost({ budgetPercent: 0.5 });
    const told = () => own.report(planned, clock.monotonic()).map(({ probe }) => probe);
    const ran = (...names: string[]) => {
      for (const name of names) own.note(name, { took_ms: 1, rows: 1 }, clock.monotonic());
    };
    ran('dear', 'ping');
    expect(told()).toEqual([COLLECTOR, 'dear', 'ping']);
    expect(told()).toEqual([COLLECTOR]);
    clock.advance(60_000);
    ran('ping');
    expect(told()).toEqual([COLLECTOR, 'ping']);
    own.reportAnew();
    expect(told()).toEqual([COLLECTOR, 'dear', 'ping']);
    clock.advance(3_600_000);
    expect(told()).toEqual([COLLECTOR, 'dear', 'ping']);
    // What ran an hour ago is no part of the last hour any more.
    clock.advance(60_000);
    expect(told()).toEqual([COLLECTOR]);
  });
});
