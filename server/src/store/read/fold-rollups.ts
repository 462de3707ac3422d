// From spans of rollups to what was measured in each bucket. Pure. Guards: a span that lies in two buckets is split by
// time; what a rollup left out is filled in as rollup/write.ts says; several objects of one group and span are one.

import type { Aggregate, Measures } from './measure.ts';
import { eachWanted } from './positions.ts';
import type { RolledSpan } from './stored.ts';

export interface RolledFold {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  /** The samples tell what is from here on. */
  readonly until: number;
  readonly spanMs: number;
  readonly isCounter: boolean;
  readonly isObjects: boolean;
  readonly aggregate: Aggregate;
  /** Which of the columns of a span. */
  readonly position: number;
  /** Ids that may have a group; undefined: any of them. */
  readonly wanted: ReadonlySet<number> | undefined;
  /** Of an entity, 0 being all of them together; undefined: nobody asked for it. */
  groupOf(id: number): string | undefined;
}

/** What a span says of an entity. */
interface EntityTotals {
  value: number;
  seconds: number;
  min: number;
  max: number;
  last: number | null;
  sum: number | null;
}

function counterOf(fold: RolledFold, span: RolledSpan, position: number): EntityTotals | undefined {
  const { isObjects } = fold;
  const column = span.columns[fold.position];
  if (!column || column.length === null) return undefined;
  const own = position >= column.length ? 0 : column.element('', position);
  const value = own ?? (isObjects ? 0 : null);
  if (value === null) return undefined;
  const seconds = column.element('sec', isObjects ? 0 : position) ?? span.covered_seconds;
  return { value, seconds, min: value, max: value, last: value, sum: value };
}

const unlessNaN = (value: number) => (Number.isNaN(value) ? null : value);

function gaugeOf(fold: RolledFold, span: RolledSpan, position: number): EntityTotals | undefined {
  const column = span.columns[fold.position];
  const value = column?.element('', position) ?? null;
  if (!column || value === null) return undefined;
  const sum = column.element('sum', position);
  return {
    value,
    seconds: column.element('sec', position) ?? span.covered_seconds,
    min: column.element('min', position) ?? value,
    max: column.element('max', position) ?? value,
    last: unlessNaN(column.element('last', position) ?? value),
    sum: sum === null ? value * span.runs : unlessNaN(sum),
  };
}

const total = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));

/** Gauges that were known for different times add up as value × time. */
function plus(a: EntityTotals, b: EntityTotals, isCounter: boolean): EntityTotals {
  const seconds = Math.max(a.seconds, b.seconds);
  const isPlain = isCounter || a.seconds === b.seconds;
  return {
    value: isPlain ? a.value + b.value : (a.value * a.seconds + b.value * b.seconds) / seconds,
    seconds,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    last: total(a.last, b.last),
    sum: total(a.sum, b.sum),
  };
}

/** By group. */
function merged(fold: RolledFold, span: RolledSpan): Map<string, EntityTotals> {
  const groups = new Map<string, EntityTotals>();
  eachWanted(span.ids, fold.wanted, (id, position) => {
    const group = fold.groupOf(id);
    if (group === undefined) return;
    const totals = fold.isCounter ? counterOf(fold, span, position) : gaugeOf(fold, span, position);
    if (!totals) return;
    const before = groups.get(group);
    groups.set(group, before ? plus(before, totals, fold.isCounter) : totals);
  });
  return groups;
}

function put(
  into: Measures,
  fold: RolledFold,
  of: { totals: EntityTotals; group: string; bucket: number; share: number; at: number },
) {
  const { totals, group, bucket, share, at } = of;
  const measure = into.at(group, bucket);
  if (fold.isCounter) {
    measure.add(totals.value * share, totals.seconds * share);
    return;
  }
  measure.add(totals.value * totals.seconds * share, totals.seconds * share);
  // Of several objects that is their sum, which says nothing of the least and the most.
  measure.lastIs(totals.last, at);
  measure.min = Math.min(measure.min, totals.min);
  measure.max = Math.max(measure.max, totals.max);
  if (totals.sum !== null) measure.sum = (measure.sum ?? 0) + totals.sum * share;
}

/** Objects that a span says nothing of were dropped before it, so that their last value is not that of an earlier span. */
function dropMissing(
  into: Measures,
  present: ReadonlyMap<string, unknown>,
  { bucket, at }: { bucket: number; at: number },
): void {
  for (const group of into.groups.keys()) if (!present.has(group)) into.at(group, bucket).lastIs(null, at);
}

/** Spans of one database of a connection, in order of time. */
export function foldRollups(into: Measures, fold: RolledFold, spans: readonly RolledSpan[]): void {
  const { from, to, buckets, until, spanMs } = fold;
  const width = (to - from) / buckets;
  const isGauges = fold.isObjects && !fold.isCounter;
  for (const span of spans) {
    const end = Math.min(span.at + spanMs, until, to);
    if (end <= from || span.at >= end) continue;
    const groups = merged(fold, span);
    const family = fold.isCounter && fold.isObjects ? counterOf(fold, span, span.ids.indexOf(0)) : undefined;
    const first = Math.max(0, Math.floor((span.at - from) / width));
    for (let bucket = first; bucket < buckets && from + bucket * width < end; bucket += 1) {
      const overlap = Math.min(end, from + (bucket + 1) * width) - Math.max(span.at, from + bucket * width);
      if (overlap <= 0) continue;
      const share = overlap / spanMs;
      for (const [group, totals] of groups) put(into, fold, { totals, group, bucket, share, at: end * 1000 });
      if (isGauges) dropMissing(into, groups, { bucket, at: end * 1000 });
      const measured = into.family[bucket];
      if (family && measured) measured.seconds += family.seconds * share;
    }
  }
}
