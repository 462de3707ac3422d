// From stored ticks of a family of objects to what was measured in each bucket, group by group. Pure. Guards: what stands in
// no tick did not grow; what is known of levels begins with a whole keyframe; see fold.ts for how time is counted.
import type { TickRow } from '../format/rows.ts';
import { combined } from '../layout/combine.ts';
import type { Span } from '../rollup/buckets.ts';
import { type FoldOptions, hear, increase, level, numberOf } from './fold.ts';
import type { Members } from './increase-sums.ts';
import type { Measures } from './measure.ts';
import { eachWanted } from './positions.ts';

export interface TickFold extends FoldOptions {
  /** Which of a tick's columns. */
  readonly position: number;
  readonly members: Members;
}

function hearGain(fold: TickFold, tick: TickRow, span: Span): void {
  const values = tick.columns[fold.position];
  const totals = new Map<string, number>();
  eachWanted(tick.ids, fold.members.wanted, (id, index) => {
    const value = numberOf(values?.[index]) ?? 0;
    const group = fold.members.groupOf(id);
    if (group !== undefined) totals.set(group, (totals.get(group) ?? 0) + value);
  });
  for (const [group, total] of totals) hear(fold, { group, span, gain: total });
  // Where no single object is asked for, nothing grew.
  const all = fold.members.groupOf(0);
  if (all !== undefined && !totals.has(all)) hear(fold, { group: all, span, gain: 0 });
}

function gain(into: Measures, fold: TickFold, tick: TickRow): void {
  if (tick.keyframe || tick.since === null) return;
  const span = { since: tick.since, at: tick.at };
  const values = tick.columns[fold.position];
  // Nobody knows the column.
  if (values && values.length === 0) return;
  if (fold.heard) hearGain(fold, tick, span);
  const gains = into.gainsOf(fold.members.numbered);
  const places = fold.members.in(tick.ids);
  const valueAt = (position: number) => {
    const cell = values?.[position] ?? 0;
    return typeof cell === 'number' ? cell : Number(cell);
  };
  increase(fold, span, (bucket, seconds, share) => {
    into.family[bucket] = (into.family[bucket] ?? 0) + seconds;
    gains.add(places, valueAt, { bucket, share });
  });
}

/** Gauges of the objects of one group as they stand. */
type CurrentValues = Map<number, number | null>;

function apply(groups: Map<string, CurrentValues>, fold: TickFold, tick: TickRow): void {
  const put = (id: number, value: number | null, isKnown = true) => {
    const group = fold.members.groupOf(id);
    if (group === undefined) return;
    const own = groups.get(group);
    if (own) {
      if (isKnown || own.has(id)) own.set(id, value);
    } else if (isKnown) groups.set(group, new Map([[id, value]]));
  };
  if (tick.whole) for (const own of groups.values()) for (const id of own.keys()) own.set(id, null);
  const cells = tick.columns[fold.position];
  eachWanted(tick.ids, fold.members.wanted, (id, index) => put(id, numberOf(cells?.[index])));
  if (tick.gone) eachWanted(tick.gone, fold.members.wanted, (id) => put(id, null, false));
}

/** Ticks of one database of a connection, in order of time, from a whole keyframe before the window on. */
export function foldTicks(into: Measures, fold: TickFold, rows: readonly TickRow[]): void {
  const groups = new Map<string, CurrentValues>();
  let isKnown = false;
  let before: number | undefined;
  for (const [index, tick] of rows.entries()) {
    if (fold.isCounter) {
      gain(into, fold, tick);
      continue;
    }
    isKnown ||= tick.whole;
    if (!isKnown) continue;
    apply(groups, fold, tick);
    if (rows[index + 1]?.at === tick.at) continue;
    const last = before;
    before = tick.at;
    if (tick.at <= fold.clip) continue;
    // What rollups told of and no keyframe has was dropped.
    for (const group of into.groups.keys())
      if (!groups.has(group)) level(into, fold, { group, at: tick.at, before: last, value: null });
    for (const [group, own] of groups)
      level(into, fold, {
        group,
        at: tick.at,
        before: last,
        value: combined(fold.combine, own.values()),
      });
  }
}
