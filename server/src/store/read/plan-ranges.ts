// Which times of samples, rollups and packed days have to be read for a choice of plan.ts. Pure. Guards: what is read reaches back as
// far as it tells of the windows.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { gapMs } from '../layout/gap-rule.ts';
import type { Window } from './measure.ts';
import type { Choice, Plan } from './plan.ts';
import type { Question } from './question.ts';
import type { Range } from './stored.queries.ts';

/** Connections with the same times are read together. */
function ranges(
  ids: readonly number[],
  timesOf: (id: number) => { from: number; to: number } | undefined,
): Range[] {
  const found = new Map<string, { connection_ids: number[]; from: number; to: number }>();
  for (const id of ids) {
    const times = timesOf(id);
    if (!times || times.from >= times.to) continue;
    const key = `${times.from} ${times.to}`;
    const own = found.get(key);
    if (own) own.connection_ids.push(id);
    else found.set(key, { connection_ids: [id], ...times });
  }
  return [...found.values()];
}

/** Which times, and of which connections where these are not all. */
export interface Among {
  readonly windows: readonly Window[];
  /** Levels of objects stand from the keyframe before; increases say themselves since when they are. */
  readonly needsState: boolean;
  /** Each sample is told, also those just before the window. */
  readonly isHeard?: boolean;
  readonly connection_ids?: readonly number[] | undefined;
}

/** How far behind the begin something has to be known. An increase that ends before it tells of nothing after. */
function backOf({ layout }: Question, { needsState, isHeard = false }: Among, gap: number): number {
  if (layout.keeps === 'objects' && needsState) return HOUR_MS + 2 * gap;
  return layout.keeps === 'samples' || isHeard ? gap : 0;
}

/** Samples and ticks reach back as far as they tell of the window, objects to the keyframe before. */
export function rawRanges(plan: Plan, choice: Choice, among: Among): Range[] {
  const { connection_ids } = plan.question;
  return among.windows.flatMap((window) =>
    ranges(among.connection_ids ?? connection_ids, (id) => {
      const begin = choice.until(id, window);
      if (begin >= window.to) return undefined;
      const gap = gapMs(plan.within(id, window.from - HOUR_MS, window.to + HOUR_MS));
      // By the minute, so that windows up to now which are asked together are read together.
      const from = Math.floor((begin - backOf(plan.question, among, gap)) / MINUTE_MS) * MINUTE_MS;
      return { from, to: Math.ceil((window.to + gap + 1) / MINUTE_MS) * MINUTE_MS };
    }),
  );
}

export function rolledRanges(
  plan: Plan,
  { tier, until }: Choice,
  { windows, connection_ids }: Among,
): Range[] {
  if (!tier) return [];
  const span = tier.seconds * 1000;
  return windows.flatMap((window) =>
    ranges(connection_ids ?? plan.question.connection_ids, (id) => ({
      from: Math.floor(window.from / span) * span,
      to: until(id, window),
    })),
  );
}

/**
 * Whole days of windows that have one bucket each: the only bucket that such a day can lie in. None where windows overlap, since a
 * day that is whole in one of them may be cut by another.
 */
export function summedDays(plan: Plan, { tier, until }: Choice, { windows, connection_ids }: Among): Range[] {
  if (!tier || plan.question.layout.keeps !== 'objects') return [];
  if (windows.some(({ buckets }) => buckets !== 1)) return [];
  const inOrder = windows.toSorted((a, b) => a.from - b.from);
  if (inOrder.some(({ from }, index) => from < (inOrder[index - 1]?.to ?? from))) return [];
  return windows.flatMap((window) =>
    ranges(connection_ids ?? plan.question.connection_ids, (id) => ({
      from: Math.ceil(window.from / DAY_MS) * DAY_MS,
      to: Math.floor(Math.min(until(id, window), window.to) / DAY_MS) * DAY_MS,
    })),
  );
}
