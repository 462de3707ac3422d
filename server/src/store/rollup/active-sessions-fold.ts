// From ticks of active sessions to what they did with their time, bucket by bucket and class of wait by class. Pure.
// Guards: a sample stands for the time since the one before it, so samples further apart while nothing goes on weigh as
// much as that time; what lies beyond is a hole. Readers and rollups both count by this.

/** A tick; moments in milliseconds since the epoch. */
export interface ClassTick {
  readonly at: number;
  readonly keyframe: boolean;
  readonly whole: boolean;
  readonly ids: readonly number[];
  /** How many sessions, by object; null: nobody knows, or the column is not there. */
  readonly sessions: readonly (number | null)[];
  readonly gone: readonly number[];
}

export interface Holes {
  /** How long a sample stands for at most: after one with active sessions, and after one without. */
  readonly busy_ms: number;
  readonly calm_ms: number;
}

export interface Bucket {
  /** Samples taken within it. */
  runs: number;
  covered_ms: number;
  /** Sessions × milliseconds. */
  readonly classes: Map<string, number>;
}

export interface ClassGrid {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  /** Only what is after this counts. */
  readonly clip?: number;
}

/** What is going on, kept up to date tick by tick: sessions by combination, and by class. */
class State {
  readonly #sessions = new Map<number, number>();
  readonly classes = new Map<string, number>();
  readonly #classOf: ReadonlyMap<number, string>;
  total = 0;

  constructor(classOf: ReadonlyMap<number, string>) {
    this.#classOf = classOf;
  }

  set(id: number, sessions: number): void {
    const more = sessions - (this.#sessions.get(id) ?? 0);
    if (sessions === 0) this.#sessions.delete(id);
    else this.#sessions.set(id, sessions);
    const wait_class = this.#classOf.get(id);
    if (wait_class === undefined || more === 0) return;
    this.classes.set(wait_class, (this.classes.get(wait_class) ?? 0) + more);
    this.total += more;
  }

  apply({ whole, ids, sessions, gone }: ClassTick): void {
    if (whole) for (const id of [...this.#sessions.keys()]) this.set(id, 0);
    for (const [index, id] of ids.entries()) this.set(id, sessions[index] ?? 0);
    for (const id of gone) this.set(id, 0);
  }
}

function cover(
  found: Bucket[],
  { from, to, buckets, clip = from }: ClassGrid,
  { since, at, classes }: { since: number; at: number; classes: ReadonlyMap<string, number> },
): void {
  const width = (to - from) / buckets;
  const taken = Math.ceil((at - from) / width) - 1;
  const begin = Math.max(since, clip);
  const end = Math.min(at, to);
  if (taken >= 0 && taken < buckets) (found[taken] ?? { runs: 0 }).runs += 1;
  for (
    let n = Math.max(0, Math.floor((begin - from) / width));
    n < buckets && from + n * width < end;
    n += 1
  ) {
    const overlap = Math.min(end, from + (n + 1) * width) - Math.max(begin, from + n * width);
    const bucket = found[n];
    if (!bucket || overlap <= 0) continue;
    bucket.covered_ms += overlap;
    for (const [wait_class, sessions] of classes)
      if (sessions > 0)
        bucket.classes.set(wait_class, (bucket.classes.get(wait_class) ?? 0) + sessions * overlap);
  }
}

/**
 * Ticks from the last whole keyframe before the grid on, to a hole after it. `classOf` names the class of wait of each
 * combination that counts; all others are left out.
 */
export function foldTicks(
  ticks: readonly ClassTick[],
  classOf: ReadonlyMap<number, string>,
  { grid, holes }: { grid: ClassGrid; holes: Holes },
): Bucket[] {
  const sorted = [...ticks].sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  const found = Array.from({ length: grid.buckets }, () => ({ runs: 0, covered_ms: 0, classes: new Map() }));
  const state = new State(classOf);
  let isKnown = false;
  let before: { at: number; total: number } | undefined;
  for (const [index, tick] of sorted.entries()) {
    isKnown ||= tick.whole;
    if (!isKnown) continue;
    state.apply(tick);
    // Increases and a keyframe of the same moment are one sample.
    if (sorted[index + 1]?.at === tick.at) continue;
    const { at } = tick;
    const reach = before?.total === 0 ? holes.calm_ms : holes.busy_ms;
    const since = Math.max(before?.at ?? at - holes.busy_ms, at - reach);
    cover(found, grid, { since, at, classes: state.classes });
    before = { at, total: state.total };
  }
  return found;
}

/**
 * Sessions × milliseconds of each combination within the time, active or not, to tell which are the largest. Costs as
 * much as what changes from tick to tick.
 */
export function weighTicks(
  ticks: readonly ClassTick[],
  { from, to }: { from: number; to: number },
  holes: Holes,
): Map<number, number> {
  const sorted = [...ticks].sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  const weights = new Map<number, number>();
  const there = new Map<number, { sessions: number; since: number }>();
  let [isKnown, total, before, clock] = [false, 0, Number.NEGATIVE_INFINITY, 0];
  const close = (id: number) => {
    const own = there.get(id);
    if (!own) return;
    weights.set(id, (weights.get(id) ?? 0) + own.sessions * (clock - own.since));
    total -= own.sessions;
    there.delete(id);
  };
  for (const { at, whole, ids, sessions, gone } of sorted) {
    isKnown ||= whole;
    if (!isKnown) continue;
    const reach = total === 0 && Number.isFinite(before) ? holes.calm_ms : holes.busy_ms;
    if (whole) for (const id of [...there.keys()]) close(id);
    for (const id of gone) close(id);
    for (const [index, id] of ids.entries()) {
      close(id);
      const count = sessions[index] ?? 0;
      if (count > 0) there.set(id, { sessions: count, since: clock });
      total += count;
    }
    // What a sample says stands for the time since the one before.
    clock += Math.max(0, Math.min(at, to) - Math.max(before, at - reach, from));
    before = at;
  }
  for (const id of [...there.keys()]) close(id);
  return weights;
}
