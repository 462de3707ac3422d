// What the readers of the store should say, by plain loops over the runs that were written: time is cut into slots of 15
// seconds, each slot is looked at by itself, and buckets are made of slots. It shares no code with the readers.
import type { Row } from '../../store/layout/types.ts';

const SLOT_MS = 15_000;

/** A reading of all rows of a probe in one database, at a multiple of the slot. */
export interface ModelRun {
  /** Milliseconds since the epoch. */
  at: number;
  /** One life of the server. */
  instance: string;
  rows: readonly Row[];
}

export type ModelAggregate = 'avg' | 'min' | 'max' | 'sum' | 'last' | 'rate';

export interface ModelQuestion {
  keeps: 'samples' | 'objects';
  keys: readonly string[];
  column: string;
  kind: 'gauge' | 'counter';
  aggregate: ModelAggregate;
  combine: 'sum' | 'avg' | 'max' | 'min';
  /** Undefined: nobody asked for this row. */
  groupOf(row: Row, database: string): string | undefined;
  from: number;
  to: number;
  buckets: number;
  intervalAt(at: number): number;
}

/** Runs by database, in order of time. */
export type ModelHistory = ReadonlyMap<string, readonly ModelRun[]>;

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

function combine(how: ModelQuestion['combine'], values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((a, b) => a + b, 0);
  if (how === 'sum') return sum;
  if (how === 'avg') return sum / values.length;
  return values.reduce((a, b) => (how === 'max' ? Math.max(a, b) : Math.min(a, b)));
}

const gapOf = (question: ModelQuestion, at: number) => 2.5 * 1000 * question.intervalAt(at);
const keyOf = ({ keys }: ModelQuestion, row: Row) => JSON.stringify(keys.map((name) => row[name] ?? null));
const isReset = (a: Row, b: Row) =>
  b.stats_reset !== undefined && b.stats_reset !== null && b.stats_reset !== a.stats_reset;

/** The value of one group in one slot, and the run it is of. */
interface Slot {
  seconds: number;
  value: number | null;
  at: number | undefined;
}

/** What a group is in one database, run by run. */
interface Group {
  question: ModelQuestion;
  runs: readonly ModelRun[];
  /** Runs that say something of its gauges, with the value. */
  levels: readonly { at: number; value: number | null }[];
  /** From here on something is known of it. */
  known: number;
  /** Readings of each entity. */
  entities: ReadonlyMap<string, readonly Reading[]>;
  family: readonly Reading[];
}

interface Reading {
  at: number;
  instance: string;
  row: Row | undefined;
}

function groupIn(
  question: ModelQuestion,
  name: string,
  of: { database: string; runs: readonly ModelRun[] },
): Group {
  const { keeps, column } = question;
  const members = of.runs.map(({ rows }) =>
    rows.filter((row) => question.groupOf(row, of.database) === name),
  );
  const keys = new Set(members.flatMap((rows) => rows.map((row) => keyOf(question, row))));
  const entities = [...keys].map((key) => {
    const all = of.runs.map(({ at, instance }, index) => ({
      at,
      instance,
      row: members[index]?.find((row) => keyOf(question, row) === key),
    }));
    // A sample is compared with the last one of its entity, an object with the reading before; what was made in between, with the
    // reading that did not have it.
    const isBefore = (index: number) =>
      all[index + 1]?.row !== undefined && all[index]?.instance === all[index + 1]?.instance;
    const ofSamples = all.filter(({ row }, index) => row !== undefined || isBefore(index));
    return [key, keeps === 'samples' ? ofSamples : all] as const;
  });
  const levels = of.runs.flatMap(({ at }, index) => {
    const rows = members[index] ?? [];
    if (keeps === 'samples' && rows.length === 0) return [];
    const values = rows.flatMap((row) => numberOf(row[column]) ?? []);
    return [{ at, value: combine(question.combine, values) }];
  });
  const first = members.findIndex((rows) => rows.length > 0);
  return {
    question,
    runs: of.runs,
    levels,
    known: first < 0 ? Infinity : (of.runs[first]?.at ?? 0),
    entities: new Map(entities),
    family: of.runs.map(({ at, instance }) => ({ at, instance, row: {} })),
  };
}

/** The first that is not before that moment. */
function indexAt(all: readonly { at: number }[], moment: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.at ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

function gaugeSlot({ question, levels, known }: Group, end: number): Slot {
  const none = { seconds: 0, value: null, at: undefined };
  const index = indexAt(levels, end);
  const run = levels[index];
  if (!run || run.at < known) return none;
  const interval = question.intervalAt(end) * 1000;
  const since = Math.max(levels[index - 1]?.at ?? run.at - interval, run.at - gapOf(question, end));
  if (end - SLOT_MS < since) return none;
  return { seconds: run.value === null ? 0 : SLOT_MS / 1000, value: run.value, at: run.at };
}

/** The reading that this slot's increase ends with, and the one it begins with, of one entity. */
function pairOf(
  question: ModelQuestion,
  readings: readonly Reading[],
  end: number,
): [old: Row | undefined, now: Row, share: number] | undefined {
  const index = indexAt(readings, end);
  const [old, now] = [readings[index - 1], readings[index]];
  if (!old || !now || old.instance !== now.instance || !now.row) return undefined;
  if (now.at - old.at > gapOf(question, end)) return undefined;
  return [old.row, now.row, SLOT_MS / (now.at - old.at)];
}

/** Of what was made between two readings, all that it counts. */
function gainOf({ column }: ModelQuestion, old: Row | undefined, now: Row): number | null {
  if (!old) return numberOf(now[column]);
  const [a, b] = [numberOf(old[column]), numberOf(now[column])];
  if (a === null || b === null) return null;
  return b < a || isReset(old, now) ? b : b - a;
}

function counterBucket(group: Group, ends: readonly number[]): { value: number | null; seconds: number } {
  const seconds = new Map<string, number>();
  let [total, family] = [0, 0];
  for (const end of ends) {
    // Whichever objects grew.
    if (pairOf(group.question, group.family, end)) family += SLOT_MS / 1000;
    for (const [entity, readings] of group.entities) {
      const pair = pairOf(group.question, readings, end);
      const gain = pair && gainOf(group.question, pair[0], pair[1]);
      if (!pair || gain === null || gain === undefined) continue;
      total += gain * pair[2];
      seconds.set(entity, (seconds.get(entity) ?? 0) + SLOT_MS / 1000);
    }
  }
  const { keeps, aggregate } = group.question;
  const known = keeps === 'objects' ? family : [...seconds.values()].reduce((a, b) => Math.max(a, b), 0);
  if (known === 0) return { value: null, seconds: 0 };
  return { value: aggregate === 'rate' ? total / known : total, seconds: known };
}

function gaugeBucket(group: Group, ends: readonly number[]): { value: number | null; seconds: number } {
  const slots = ends.map((end) => gaugeSlot(group, end)).filter(({ at }) => at !== undefined);
  const known = slots.flatMap(({ value }) => value ?? []);
  const seconds = (known.length * SLOT_MS) / 1000;
  const [first, last] = [ends[0] ?? 0, ends.at(-1) ?? 0];
  const taken = new Map(
    slots.flatMap(({ at, value }) =>
      at !== undefined && value !== null && at >= first && at <= last ? [[at, value]] : [],
    ),
  );
  const values = {
    avg: combine('avg', known),
    rate: null,
    min: combine('min', known),
    max: combine('max', known),
    last: slots.at(-1)?.value ?? null,
    sum: combine('sum', [...taken.values()]),
  };
  return { value: values[group.question.aggregate], seconds };
}

export interface ModelSeries {
  values: (number | null)[];
  coverage: number;
}

/** Of one group of one connection, databases put together. */
export function modelSeries(history: ModelHistory, question: ModelQuestion, name: string): ModelSeries {
  const { from, to, buckets } = question;
  const width = (to - from) / buckets;
  const groups = [...history].map(([database, runs]) => groupIn(question, name, { database, runs }));
  const found = Array.from({ length: buckets }, (_none, n) => {
    const ends = Array.from(
      { length: width / SLOT_MS },
      (_slot, index) => from + n * width + (index + 1) * SLOT_MS,
    );
    const all = groups.map((group) =>
      question.kind === 'counter' ? counterBucket(group, ends) : gaugeBucket(group, ends),
    );
    return {
      value: combine(
        question.kind === 'counter' ? 'sum' : question.combine,
        all.flatMap(({ value }) => value ?? []),
      ),
      seconds: all.reduce((most, { seconds }) => Math.max(most, seconds), 0),
    };
  });
  const seconds = found.reduce((sum, bucket) => sum + bucket.seconds, 0);
  return { values: found.map(({ value }) => value), coverage: (seconds * 1000) / (to - from) };
}
