// Histories for the tests of readers: two made-up probes, and runs of theirs at irregular times with gaps, resets,
// restarts, unknown values, and objects that come and go.
import fc from 'fast-check';
import { defineProbe, type Probe } from '../../probes/types.ts';
import type { ModelRun } from './read-model.ts';

/** Of a history. */
export const HOURS = 3;
const common = {
  intervalSeconds: 60,
  retentionDays: 7,
  sql: () => 'select',
  description: 'Made up.',
} as const;

export const WAITS = defineProbe({
  ...common,
  name: 'test_waits',
  level: 'S',
  keeps: 'samples',
  columns: [
    { name: 'kind', type: 'text', kind: 'key', description: 'Which.' },
    { name: 'zone', type: 'text', kind: 'label', description: 'Where.' },
    { name: 'calls', type: 'bigint', kind: 'counter', unit: 'count', description: 'Counts.' },
    { name: 'spent', type: 'bigint', kind: 'counter', unit: 'ms', description: 'Counts beside it.' },
    { name: 'level', type: 'double precision', kind: 'gauge', description: 'Adds up.' },
    { name: 'delay', type: 'double precision', kind: 'gauge', unit: 'seconds', description: 'The worst.' },
    { name: 'stats_reset', type: 'timestamp with time zone', kind: 'time', description: 'Reset.' },
  ],
});
export const RELATIONS = defineProbe({
  ...common,
  name: 'test_relations',
  level: 'D',
  keeps: 'objects',
  columns: [
    { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id.' },
    { name: 'owner', type: 'text', kind: 'label', description: 'Shared by several.' },
    { name: 'writes', type: 'bigint', kind: 'counter', unit: 'rows', description: 'Counts.' },
    { name: 'reads', type: 'bigint', kind: 'counter', unit: 'rows', description: 'Counts beside it.' },
    { name: 'size', type: 'bigint', kind: 'gauge', unit: 'bytes', description: 'Adds up.' },
    { name: 'age', type: 'bigint', kind: 'gauge', unit: 'transactions', description: 'The worst.' },
    { name: 'hits', type: 'double precision', kind: 'gauge', unit: 'percent', description: 'The mean.' },
  ],
});
export const PROBES: readonly Probe[] = [WAITS, RELATIONS];

/** Runs at irregular times, each with what befalls the server and its objects. */
export const scheduleFrom = (begin: number) =>
  fc
    .array(
      fc.record({
        gap: fc.constantFrom(1, 1, 1, 1, 1.25, 2, 2.5, 2.75, 4, 40),
        event: fc.constantFrom(...Array<string>(14).fill('none'), 'restart', 'reset', 'unknown', 'grow'),
        there: fc.nat(31),
        more: fc.nat(40),
      }),
      { minLength: 40, maxLength: 130 },
    )
    .map((steps) => {
      let minute = 0.25;
      return steps
        .map((step) => {
          minute += step.gap;
          return { ...step, at: begin + minute * 60_000 };
        })
        .filter(({ at }) => at < begin + HOURS * 3_600_000);
    });
export interface Step {
  at: number;
  event: string;
  there: number;
  more: number;
}
export type Steps = readonly Step[];

export function waits(steps: Steps): ModelRun[] {
  let [instance, reset] = [0, steps[0]?.at ?? 0];
  const calls = [500, 900, 100];
  const spent = [0, 70, 4000];
  return steps.map(({ at, event, there, more }) => {
    if (event === 'restart') instance += 1;
    if (event === 'reset') reset = at;
    const rows = calls.map((before, index) => {
      const base = event === 'restart' || event === 'reset' ? 0 : before;
      spent[index] = (base === before ? (spent[index] ?? 0) : 0) + there * (index + 1);
      calls[index] = base + more * (index + (event === 'grow' ? 900 : 1));
      return {
        kind: index === 2 ? null : `k${index}`,
        zone: index === 0 ? 'north' : 'south',
        calls: event === 'unknown' && index === 1 ? null : calls[index],
        spent: event === 'unknown' && index === 0 ? null : spent[index],
        level: event === 'unknown' && index === 0 ? null : more / 4 + index,
        delay: more * 3 - index,
        stats_reset: new Date(reset).toISOString(),
      };
    });
    return {
      at,
      instance: `i${instance}`,
      rows: rows.filter((_row, index) => index === 0 || there % 5 !== index),
    };
  });
}

export function relations(steps: Steps): ModelRun[] {
  let instance = 0;
  const writes = [0, 10, 1000, 7];
  const reads = [5, 0, 60, 900];
  return steps.map(({ at, event, there, more }) => {
    if (event === 'restart') instance += 1;
    const rows = writes.flatMap((before, index) => {
      const moved = index === there % 4 || event === 'grow';
      // An object is reset with all its counters: this one falls only where the other does.
      const falls = event === 'reset' && more < before;
      reads[index] = falls ? 0 : (reads[index] ?? 0) + (there % 3 === 0 ? more : 0);
      writes[index] = event === 'reset' ? more : before + (moved ? more : 0);
      if (index > 0 && there % 9 === index) return [];
      return {
        relid: index + 1,
        owner: index < 2 ? 'ann' : 'bob',
        writes: writes[index],
        reads: reads[index],
        size: 8192 * Math.floor((writes[index] ?? 0) / 50),
        age: event === 'unknown' && index === 1 ? null : 1000 * (there + index),
        hits: (more * (index + 1)) % 100,
      };
    });
    return { at, instance: `i${instance}`, rows };
  });
}
