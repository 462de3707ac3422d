// Rollups of active sessions by class of wait, put into buckets. Pure. Guards: coarse spans tell only of the time before
// everything finer, so that a gap stays one.
import { least } from '../../kernel/lists.ts';
import type { Window } from '../../store/read/doors/buckets.ts';
import type { ClassSpan, SessionsBucket, Tier } from '../../store/read/doors/readings.ts';

/** What was read of a window from where; milliseconds since the epoch. */
export interface LoadPart {
  tier: 'samples' | Tier['name'];
  /** How far apart samples are at least, or how long a span is. */
  seconds: number;
  from: number;
  to: number;
}

export interface SpansToFold {
  /** From fine to coarse. */
  tiers: readonly Tier[];
  /** Serves until `until` instead of samples. */
  chosen: Tier | undefined;
  until: number;
  window: Window;
  /** When the first sample was taken; infinity: there is none. */
  first: number;
  /** Sessions × seconds by name; null: it is not known of that span. Their classes of wait when absent. */
  spentOf?: (span: ClassSpan) => Iterable<readonly [name: string, seconds: number]> | null;
}

interface Put {
  span: number;
  end: number;
  window: Window;
  spentOf: NonNullable<SpansToFold['spentOf']>;
}

function put(found: readonly SessionsBucket[], one: ClassSpan, of: Put): void {
  const { at, covered_seconds } = one;
  const spent = of.spentOf(one);
  if (!spent) return;
  const { from, to, buckets } = of.window;
  const width = (to - from) / buckets;
  for (
    let n = Math.max(0, Math.floor((at - from) / width));
    n < buckets && from + n * width < of.end;
    n += 1
  ) {
    const share = (Math.min(of.end, from + (n + 1) * width) - Math.max(at, from + n * width)) / of.span;
    const bucket = found[n];
    if (!bucket || share <= 0) continue;
    bucket.covered_ms += covered_seconds * 1000 * share;
    for (const [name, seconds] of spent)
      bucket.classes.set(name, (bucket.classes.get(name) ?? 0) + seconds * 1000 * share);
  }
}

/** Adds them to the buckets; what was read of which tier, the oldest first. */
export function foldSpans(
  found: readonly SessionsBucket[],
  spans: readonly ClassSpan[],
  { tiers, chosen, until, window, first, spentOf = ({ spent }) => spent }: SpansToFold,
): LoadPart[] {
  const parts: LoadPart[] = [];
  let known = first;
  for (const tier of tiers) {
    const span = tier.seconds * 1000;
    const isChosen = tier === chosen;
    // What is finer counts; a span that reaches into its time would fill gaps in it.
    const limit = isChosen ? until : window.to;
    const own = spans.filter(
      ({ tier: name, at }) =>
        name === tier.name && at < limit && at + span > window.from && (isChosen || at + span <= known),
    );
    for (const one of own) put(found, one, { span, end: Math.min(one.at + span, limit), window, spentOf });
    const [oldest, newest] = [own[0], own.at(-1)];
    if (!oldest || !newest) continue;
    const [from, to] = [Math.max(oldest.at, window.from), Math.min(newest.at + span, limit)];
    parts.unshift({ tier: tier.name, seconds: tier.seconds, from, to });
    known = least([known, oldest.at]);
  }
  return parts;
}
