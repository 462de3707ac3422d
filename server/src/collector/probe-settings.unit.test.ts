// Changes of what probes are set to, on the plan of one server: nothing is read twice in a row or left out for longer,
// and what is switched off is recorded as that once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProbeInForce } from '../estate/probe-configs/effective.service.ts';
import { defineProbe } from '../probes/types.ts';
import { Plan } from './plan.ts';
import { AS_BUILT, whileWatched } from './probe-settings.ts';
import type { Slot } from './slots.ts';

const NAME = 'p';
const set = (interval_seconds: number, off: string | null = null) =>
  new Map<string, ProbeInForce>([[NAME, { interval_seconds, off }]]);

function probeOf(level: 'S' | 'D', intervalSeconds: number) {
  return defineProbe({
    name: NAME,
    description: '',
    level,
    intervalSeconds,
    retentionDays: 7,
    keeps: 'snapshot',
    columns: [{ name: 'a', type: 'integer', kind: 'gauge', description: '' }],
    sql: () => 'select 1 as a',
  });
}

function planOf(intervalSeconds: number, settings = AS_BUILT): { plan: Plan; slot: Slot } {
  const plan = new Plan({ serverKey: '7', probes: [probeOf('S', intervalSeconds)], now: 0, settings });
  const [slot] = plan.dueOnServer(0);
  return { plan, slot: slot ?? expect.fail('nothing is due') };
}

const seconds = fc.integer({ min: 5, max: 86_400 });

describe('a change of the interval', () => {
  it('leaves half an interval to one and a half between two runs, and the phase of the new one', () => {
    fc.assert(
      fc.property(seconds, seconds, fc.double({ min: 0, max: 1, noNaN: true }), (old, next, share) => {
        fc.pre(old !== next);
        const { plan, slot } = planOf(old);
        plan.settle(slot, 'ran', 1e6);
        const ahead = slot.due - 1e6;
        const at = 1e6 + share * ahead;
        plan.adjust(set(next), at);
        const gap = slot.due - 1e6;
        expect(gap).toBeLessThanOrEqual(Math.max(1.5 * next * 1000, at - 1e6) + 1);
        expect(slot.due).toBeGreaterThanOrEqual(at);
        if (slot.due > at) expect(gap).toBeGreaterThanOrEqual(500 * next - 1);
        plan.settle(slot, 'ran', slot.due);
        const second = slot.due;
        plan.settle(slot, 'ran', second);
        expect(slot.due - second).toBeCloseTo(next * 1000, 0);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the phase on which the probes of databases meet', () => {
    const plan = new Plan({ serverKey: '7', probes: [probeOf('D', 300)], now: 0 });
    plan.setDatabases([{ datname: 'a', dbid: '1', may_connect: true, obstacle: null }], 0);
    const [slot = expect.fail('nothing is due')] = plan.dueIn('a', 0);
    plan.settle(slot, 'ran', 1e6);
    plan.adjust(set(900), 1e6);
    const first = slot.due;
    plan.settle(slot, 'ran', first);
    expect(slot.due - first).toBe(900_000);
  });

  it('however often it comes, puts a run off for no longer than an interval and a half', () => {
    const { plan, slot } = planOf(60);
    plan.settle(slot, 'ran', 1000);
    let ran = 0;
    for (let now = 1000; now < 601_000; now += 20) {
      plan.adjust(set(now % 40 === 0 ? 60 : 61), now);
      if (slot.due > now) continue;
      plan.settle(slot, 'ran', now);
      ran += 1;
    }
    expect(ran).toBeGreaterThanOrEqual(6);
    expect(ran).toBeLessThanOrEqual(20);
  });

  it('leaves the pause of a probe that fails as it is', () => {
    const { plan, slot } = planOf(60);
    plan.settle(slot, 'ran', 1000);
    plan.settle(slot, 'failed', 61_000);
    const { due } = slot;
    plan.adjust(set(5), 62_000);
    expect(slot.due).toBe(due);
  });

  it('counts in what the collector costs', () => {
    const { plan } = planOf(60);
    plan.adjust(set(600), 0);
    expect(plan.planned).toMatchObject([{ probe: { intervalSeconds: 600 }, reads: 1 }]);
    plan.adjust(set(600, 'why'), 0);
    expect(plan.planned).toMatchObject([{ reads: 0 }]);
  });
});

describe('switching off and on', () => {
  it('is recorded once, also when a run was under way, and rests then', () => {
    const { plan, slot } = planOf(60);
    plan.settle(slot, 'ran', 1000);
    plan.adjust(set(60, 'why'), 2000);
    plan.settle(slot, 'ran', 3000);
    expect(plan.dueOnServer(3000)).toEqual([slot]);
    expect(plan.off(slot)).toEqual({ kind: 'skipped', cause: 'disabled', reason: 'why', mend: null });
    plan.settle(slot, 'off', 3000);
    expect(plan.dueOnServer(1e12)).toEqual([]);
    plan.adjust(set(60, 'other words'), 4000);
    expect(plan.dueOnServer(4000)).toEqual([slot]);
  });

  it('brings it back at once when its time has passed, else on its next tick', () => {
    const { plan, slot } = planOf(60);
    plan.settle(slot, 'ran', 1000);
    plan.adjust(set(60, 'why'), 2000);
    plan.settle(slot, 'off', 2000);
    plan.adjust(AS_BUILT, 3000);
    expect(slot.due).toBeGreaterThanOrEqual(31_000);
    expect(slot.due).toBeLessThanOrEqual(91_000);
    plan.adjust(set(60, 'why'), 4000);
    plan.settle(slot, 'off', 4000);
    plan.adjust(AS_BUILT, 1_000_000);
    expect(slot.due).toBe(1_000_000);
  });

  it('silences what a bare answer of the server tells, too', () => {
    const probe = { ...probeOf('S', 30), roundTripColumn: 'a' };
    const plan = new Plan({ serverKey: '7', probes: [probe], now: 0 });
    expect(plan.roundTrips).toEqual([probe]);
    plan.adjust(set(30, 'why'), 0);
    expect(plan.roundTrips).toEqual([]);
  });

  it('holds from the start', () => {
    const { plan, slot } = planOf(60, set(60, 'why'));
    expect(plan.off(slot)).toMatchObject({ cause: 'disabled' });
  });
});

describe('statements that a person looks at', () => {
  const statements = (settings: Parameters<typeof whileWatched>[0]) =>
    whileWatched(settings).get('pg_stat_statements');

  it('are read every ten seconds, and never less often than they are set to', () => {
    expect(statements(AS_BUILT)).toEqual({ interval_seconds: 10, off: null });
    const often = new Map([['pg_stat_statements', { interval_seconds: 5, off: null }]]);
    expect(statements(often)).toEqual({ interval_seconds: 5, off: null });
  });

  it('stay off where they are, and leave all others as they are set', () => {
    const off = new Map([
      ['pg_stat_statements', { interval_seconds: 600, off: 'why' }],
      ['pg_stat_wal', { interval_seconds: 900, off: null }],
    ]);
    expect(statements(off)).toEqual({ interval_seconds: 10, off: 'why' });
    expect(whileWatched(off).get('pg_stat_wal')).toEqual({ interval_seconds: 900, off: null });
    expect(whileWatched(AS_BUILT).has('pg_stat_wal')).toBe(false);
  });
});
