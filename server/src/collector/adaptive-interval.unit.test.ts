import { describe, expect, it } from 'vitest';
import { defineProbe, longestIntervalSeconds } from '../probes/types.ts';
import type { Outcome } from '../store/layout/types.ts';
import { adaptiveIntervalMs, quietRuns } from './adaptive-interval.ts';
import { Plan } from './plan.ts';

const declared = {
  name: 'sampled',
  description: '',
  level: 'S',
  intervalSeconds: 1,
  retentionDays: 7,
  keeps: 'snapshot',
  columns: [{ name: 'state', type: 'text', kind: 'key', description: '' }],
  sql: () => 'select',
} as const;
const fixed = defineProbe(declared);
const adaptive = defineProbe({
  ...declared,
  adaptive: { slowestSeconds: 10, busy: { column: 'state', value: 'active' } },
});

const ran = (...states: string[]): Outcome => ({
  kind: 'ran',
  collected_at: 0,
  rows: states.map((state) => ({ state })),
  history_by: undefined,
});

function planOf(probe: typeof fixed) {
  const plan = new Plan({ serverKey: '7', probes: [probe], now: 0 });
  const [slot] = plan.dueOnServer(0);
  if (!slot) throw new Error('nothing is due');
  let now = 0;
  /** Runs when due; answers the seconds until the next one. */
  const run = (outcome: Outcome): number => {
    now = Math.max(now, slot.due);
    slot.quietRuns = quietRuns(probe, slot.quietRuns ?? 0, outcome);
    plan.settle(slot, outcome.kind, now);
    return (slot.due - now) / 1000;
  };
  // The first run is at no phase.
  run(ran('active'));
  return { plan, slot, run };
}

describe('a probe that adapts', () => {
  it('is rarer by a second with each quiet run, up to its slowest, where it meets those of that interval', () => {
    const { run } = planOf(adaptive);
    const waits = Array.from({ length: 12 }, () => run(ran()));
    expect(waits.toSpliced(8, 1)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
    expect(waits[8]).toBeLessThanOrEqual(10);
  });

  it('comes back at once with the first busy run', () => {
    const { run } = planOf(adaptive);
    for (let n = 0; n < 20; n += 1) run(ran('idle in transaction'));
    expect(run(ran('idle in transaction', 'active'))).toBe(1);
    expect(run(ran('active'))).toBe(1);
    expect(run(ran())).toBe(2);
  });

  it('takes a run that read nothing for no quiet run, and what cannot run is not tried every second', () => {
    const { run, slot } = planOf(adaptive);
    for (let n = 0; n < 5; n += 1) run(ran());
    expect(run({ kind: 'skipped', reason: 'no', mend: null })).toBe(10);
    expect(slot.quietRuns).toBe(0);
    expect(run(ran('active'))).toBeLessThanOrEqual(1);
    for (let n = 0; n < 5; n += 1) run(ran());
    expect(run({ kind: 'failed', reason: 'no' })).toBeGreaterThan(10);
    expect(slot.quietRuns).toBe(0);
  });

  it('waits for the longer of quiet and budget', () => {
    const { plan, run } = planOf(adaptive);
    plan.stretch(new Map([['sampled', 4]]), 0);
    run(ran('active'));
    expect(run(ran('active'))).toBe(4);
    for (let n = 0; n < 12; n += 1) run(ran());
    const quiet = run(ran());
    expect(quiet).toBe(10);
    plan.stretch(new Map([['sampled', 16]]), 0);
    // By the second run it is on the ticks of the new interval.
    for (let n = 0; n < 2; n += 1) run(ran());
    expect(run(ran())).toBe(16);
    expect(run(ran('active'))).toBe(16);
  });

  it('others keep to their interval', () => {
    const { run } = planOf(fixed);
    expect(Array.from({ length: 5 }, () => run(ran()))).toEqual([1, 1, 1, 1, 1]);
    expect(quietRuns(fixed, 3, ran())).toBe(0);
    expect(adaptiveIntervalMs(fixed, 0)).toBe(1000);
    expect(adaptiveIntervalMs(fixed, Number.POSITIVE_INFINITY)).toBe(1000);
    expect(adaptiveIntervalMs(adaptive, Number.POSITIVE_INFINITY)).toBe(10_000);
    expect(longestIntervalSeconds(fixed)).toBe(1);
    expect(longestIntervalSeconds(adaptive)).toBe(10);
  });
});
