// Ticks of active sessions by bucket and class of wait: the same as counting second by second.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ClassTick, foldTicks, weighSpans, weighTicks } from './active-sessions-fold.ts';

const HOLES = { busy_ms: 2500, idle_ms: 25_000 };
const classOf = new Map([
  [1, 'CPU'],
  [2, 'IO'],
  [3, 'IO'],
]);

/** What each sample says in full: sessions by combination; 4 is idle and counts nowhere. */
const samples = fc.array(
  fc.record({
    gap: fc.constantFrom(1, 1, 1, 2, 5, 30),
    sessions: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    keyframe: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

type Sample = { at: number; sessions: number[]; keyframe: boolean };

function ticksOf(all: readonly Sample[]): ClassTick[] {
  let before: number[] = [0, 0, 0, 0];
  return all.flatMap(({ at, sessions, keyframe }, n) => {
    const ids = [1, 2, 3, 4];
    const changed = ids.filter((_id, index) => sessions[index] !== before[index] && sessions[index] !== 0);
    const gone = ids.filter((_id, index) => sessions[index] === 0 && before[index] !== 0);
    const there = ids.filter((_id, index) => sessions[index] !== 0);
    before = sessions;
    const of = (some: number[]) => ({ ids: some, sessions: some.map((id) => sessions[id - 1] ?? 0) });
    const whole = { at, keyframe: true, whole: true, gone: [], ...of(there) };
    const step = { at, keyframe: false, whole: false, gone, ...of(changed) };
    return n === 0 ? [whole] : keyframe ? [whole, step] : [step];
  });
}

it('sessions × time of each class, and the time that was measured', () => {
  fc.assert(
    fc.property(samples, fc.constantFrom(1, 3, 7), (steps, buckets) => {
      let at = 0;
      const all = steps.map(({ gap, ...sample }) => {
        at += gap * 1000;
        return { ...sample, at };
      });
      const grid = { from: 0, to: at + 3000, buckets };
      const found = foldTicks(ticksOf(all), classOf, { grid, holes: HOLES });
      const total = (name: string) => found.reduce((sum, { classes }) => sum + (classes.get(name) ?? 0), 0);
      let [covered, cpu, io] = [0, 0, 0];
      for (const [n, { at: end, sessions }] of all.entries()) {
        const last = all[n - 1];
        const wasCalm = last?.sessions.slice(0, 3).every((one) => one === 0);
        const reach = wasCalm ? HOLES.idle_ms : HOLES.busy_ms;
        const ms = end - Math.max(0, last?.at ?? end - HOLES.busy_ms, end - reach);
        covered += ms;
        cpu += ms * (sessions[0] ?? 0);
        io += ms * ((sessions[1] ?? 0) + (sessions[2] ?? 0));
      }
      expect(found.reduce((sum, { covered_ms }) => sum + covered_ms, 0)).toBeCloseTo(covered, 3);
      expect(total('CPU')).toBeCloseTo(cpu, 3);
      expect(total('IO')).toBeCloseTo(io, 3);
      expect(found.reduce((sum, { runs }) => sum + runs, 0)).toBe(all.length);
    }),
  );
});

it('nothing is known before the first whole keyframe', () => {
  const tick = { at: 1000, keyframe: false, whole: false, ids: [1], sessions: [2], gone: [] };
  const grid = { from: 0, to: 2000, buckets: 2 };
  expect(foldTicks([tick], classOf, { grid, holes: HOLES }).map(({ covered_ms }) => covered_ms)).toEqual([
    0, 0,
  ]);
});

it('weighs each combination by its sessions × time within the window', () => {
  const lasting = samples.map((all) => all.map((one) => ({ ...one, gap: Math.min(2, one.gap) })));
  fc.assert(
    fc.property(lasting, fc.nat(5), (steps, late) => {
      let at = 0;
      const all = steps.map(({ gap, ...sample }) => {
        at += gap * 1000;
        return { ...sample, at };
      });
      const window = { from: late * 1000, to: at - 500 };
      const weights = weighTicks(ticksOf(all), window, HOLES);
      for (const id of [1, 2, 3, 4]) {
        const expected = all.reduce((sum, { at: end, sessions }, n) => {
          const begin = Math.max(window.from, all[n - 1]?.at ?? end - HOLES.busy_ms);
          return sum + Math.max(0, Math.min(end, window.to) - begin) * (sessions[id - 1] ?? 0);
        }, 0);
        expect(weights.get(id) ?? 0).toBeCloseTo(expected, 6);
      }
    }),
  );
});

it('weighs in each bucket what the classes of wait of it have together, whatever the gaps are', () => {
  fc.assert(
    fc.property(samples, fc.constantFrom(1, 3, 7), fc.nat(9), (steps, buckets, early) => {
      let at = 0;
      const all = steps.map(({ gap, ...sample }) => {
        at += gap * 1000;
        return { ...sample, at };
      });
      const ticks = ticksOf(all);
      const grid = { from: early * 1000, to: at + 3000 + early * 1000, buckets };
      const counts = (id: number) => classOf.has(id);
      const found = weighSpans(ticks, grid, { holes: HOLES, counts });
      const names = new Map([...classOf.keys()].map((id) => [id, String(id)]));
      const expected = foldTicks(ticks, names, { grid, holes: HOLES });
      for (const [n, { classes }] of expected.entries())
        for (const id of [1, 2, 3, 4])
          expect(found[n]?.get(id) ?? 0).toBeCloseTo(classes.get(String(id)) ?? 0, 3);
    }),
  );
});
