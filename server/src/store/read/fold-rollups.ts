// From spans of rollups to what was measured in each bucket. Pure. Guards: a span that lies in two buckets is split by
// time; what a rollup left out is filled in as rollup/write.ts says; several objects of one group and span are one.

import type { Aggregate } from '../../probes/metric-types.ts';
import type { Members } from './increase-sums.ts';
import { eachWanted } from './increase-sums.ts';
import type { Measures } from './measure.ts';
import type { RolledSpan } from './spans.ts';

export interface RolledFold {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  /** The samples tell what is from here on. */
  readonly until: number;
  readonly spanMs: number;
  /** When its server was added: a first level says nothing of the time before, into which it reaches by its interval. */
  readonly added: number;
  readonly intervalMs: number;
  readonly isCounter: boolean;
  readonly isObjects: boolean;
  readonly aggregate: Aggregate;
  /** Which of the columns of a span. */
  readonly position: number;
  /** Of entities, 0 being all of them together. */
  readonly members: Members;
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
  eachWanted(span.ids, fold.members.wanted, (id, position) => {
    const group = fold.members.groupOf(id);
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
  measure.reach(totals.min, totals.max);
  if (totals.sum !== null) measure.addSum(totals.sum * share);
}

/** Objects that a span says nothing of were dropped before it, so that their last value is not that of an earlier span. */
function dropMissing(
  into: Measures,
  present: ReadonlyMap<string, unknown>,
  { bucket, at }: { bucket: number; at: number },
): void {
  for (const group of into.groups.keys()) if (!present.has(group)) into.at(group, bucket).lastIs(null, at);
}

/** A span, or a whole day of them, that lies in these buckets with a share of it each. */
interface Piece {
  readonly span: RolledSpan;
  readonly shares: readonly { bucket: number; share: number }[];
  /** It and so many spans of its day after it are told at once. */
  readonly count: number;
}

/** Fewer objects are read span by span. */
const MANY = 100;
const isOfFew = ({ members: { wanted } }: RolledFold) => wanted !== undefined && wanted.size < MANY;

/** What a counter of each object grew by in it. */
function addGains(into: Measures, fold: RolledFold, { span, shares, count }: Piece): void {
  const column = span.columns[fold.position];
  // A day may have one span alone, and of many objects it is read as quickly as several.
  const isOfDay = count > 1 || span.day?.isSummed === true || !isOfFew(fold);
  const day = isOfDay ? span.day?.columns[fold.position] : undefined;
  if (!column || (day === undefined && column.length === null)) return;
  const length = column.length ?? 0;
  const range = { from: span.place ?? 0, to: (span.place ?? 0) + count };
  const seconds = day ? day.seconds(range) : (column.element('sec', 0) ?? span.covered_seconds);
  if (day && seconds === 0) return;
  const gains = into.gainsOf(fold.members.numbered);
  const places = fold.members.in(span.ids);
  const sums = day?.sums(range);
  const valueAt = (position: number) => (position >= length ? 0 : (column.element('', position) ?? 0));
  for (const { bucket, share } of shares) {
    into.family[bucket] = (into.family[bucket] ?? 0) + seconds * share;
    if (sums) gains.addSums(places, sums, { bucket, share });
    else gains.add(places, valueAt, { bucket, share });
  }
}

/** How many spans of a packed day from there on follow each other and lie whole in the same bucket: they are told as one. */
function atOnce(fold: RolledFold, spans: readonly RolledSpan[], index: number): number {
  const { from, to, buckets, until, spanMs } = fold;
  const first = spans[index];
  const day = first?.day;
  if (!day || first.at < from || (isOfFew(fold) && !day.isSummed)) return 1;
  const width = (to - from) / buckets;
  const bucket = Math.floor((first.at - from) / width);
  const isIn = (span: RolledSpan | undefined, count: number) => {
    if (span?.day !== day || span.place !== (first.place ?? 0) + count) return false;
    const end = span.at + spanMs;
    return end <= Math.min(until, to) && Math.ceil((end - from) / width) - 1 === bucket;
  };
  let count = 0;
  while (isIn(spans[index + count], count)) count += 1;
  return Math.max(1, count);
}

/** Of a span that ends at `end` at the latest: its share of each bucket. */
function sharesOf({ from, to, buckets, spanMs }: RolledFold, at: number, end: number): Piece['shares'] {
  const width = (to - from) / buckets;
  const shares: { bucket: number; share: number }[] = [];
  const first = Math.max(0, Math.floor((at - from) / width));
  for (let bucket = first; bucket < buckets && from + bucket * width < end; bucket += 1) {
    const overlap = Math.min(end, from + (bucket + 1) * width) - Math.max(at, from + bucket * width);
    if (overlap > 0) shares.push({ bucket, share: overlap / spanMs });
  }
  return shares;
}

/** Spans of one database of a connection, in order of time. */
export function foldRollups(into: Measures, fold: RolledFold, spans: readonly RolledSpan[]): void {
  const { from, to, until, spanMs } = fold;
  const isGauges = fold.isObjects && !fold.isCounter;
  const isGains = fold.isObjects && fold.isCounter;
  for (let index = 0; index < spans.length; index += 1) {
    const span = spans[index];
    const end = Math.min((span?.at ?? 0) + spanMs, until, to);
    if (!span || end <= from || span.at >= end) continue;
    if (isGains) {
      const count = atOnce(fold, spans, index);
      const [first] = sharesOf(fold, span.at, end);
      const shares = count > 1 && first ? [{ bucket: first.bucket, share: 1 }] : sharesOf(fold, span.at, end);
      addGains(into, fold, { span, shares, count });
      index += count - 1;
      continue;
    }
    const isReach = !fold.isCounter && span.at + spanMs > fold.added - fold.intervalMs;
    const begin = isReach ? Math.max(span.at, fold.added) : span.at;
    if (begin >= end) continue;
    const groups = merged(fold, span);
    for (const { bucket, share } of sharesOf(fold, begin, end)) {
      for (const [group, totals] of groups) put(into, fold, { totals, group, bucket, share, at: end * 1000 });
      if (isGauges) dropMissing(into, groups, { bucket, at: end * 1000 });
    }
  }
}
