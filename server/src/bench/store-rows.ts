// The probes and the rows that the bench of the store writes, the same in every run.

import { defineProbe } from '../probes/types.ts';
import type { Row } from '../store/layout/types.ts';

export const COUNTERS = Array.from({ length: 18 }, (_, n) => `counter_${n}`);
export const SERVERS = 500;
export const ROWS_A_RUN = 30;
export const OBJECTS = 200;
export const TICKS = 288;
export const WATCHED = 5;
export const INTERVAL_MS = 300_000;
export const CHANGING = 0.1;

const counters = COUNTERS.map(
  (name) => ({ name, type: 'bigint', kind: 'counter', description: 'Counts.' }) as const,
);
const base = { intervalSeconds: 300, retentionDays: 7, sql: () => 'select' } as const;
const name = { name: 'relname', type: 'text', kind: 'label', description: 'Name.' } as const;
const relid = { name: 'relid', type: 'bigint', kind: 'key', description: 'Object.' } as const;

export const SAMPLES = defineProbe({
  ...base,
  name: 'bench_samples',
  description: 'Values of servers.',
  level: 'S',
  keeps: 'samples',
  columns: counters,
});
export const OBJECT_PROBE = defineProbe({
  ...base,
  name: 'bench_objects',
  description: 'Values of tables.',
  level: 'D',
  keeps: 'objects',
  columns: [relid, name, ...counters],
});

/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Rows of tables at each tick: a tenth of them moves, each counter in its own step. */
export function* tableTicks(): Generator<Row[]> {
  const next = random(7);
  const state = Array.from({ length: OBJECTS }, (_, n) => ({
    relid: 16_384 + n,
    relname: `some_table_name_${n}`,
    ...Object.fromEntries(COUNTERS.map((counter) => [counter, Math.floor(next() * 1e7)])),
  }));
  for (let tick = 0; tick < TICKS; tick += 1) {
    yield state.map((row) => ({ ...row }));
    for (const [n, row] of state.entries()) {
      if (next() >= CHANGING) continue;
      const grown = COUNTERS.map((counter, c) => {
        const old: unknown = Reflect.get(row, counter);
        return [counter, Number(old) + (c % 3 === 0 ? 0 : Math.floor(next() * 2000))] as const;
      });
      state[n] = { ...row, ...Object.fromEntries(grown) };
    }
  }
}

export function serverRows(seed: number): Row[] {
  const next = random(seed);
  return Array.from({ length: ROWS_A_RUN }, () =>
    Object.fromEntries(COUNTERS.map((counter) => [counter, Math.floor(next() * 1e9)])),
  );
}
