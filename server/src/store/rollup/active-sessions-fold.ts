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
  readonly idle_ms: number;
}

export interface SessionsBucket {
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
  found: SessionsBucket[],
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
): SessionsBucket[] {
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
    const reach = before?.total === 0 ? holes.idle_ms : holes.busy_ms;
    const since = Math.max(before?.at ?? at - holes.busy_ms, at - reach);
    cover(found, grid, { since, at, classes: state.classes });
    before = { at, total: state.total };
  }
  return found;
}

/** Time that was sampled, put into buckets while it goes by: what is there weighs its sessions × that time. */
class Weights {
  readonly found: Map<number, number>[];
  readonly #there = new Map<number, { sessions: number; since: number }>();
  readonly #grid: ClassGrid;
  #bucket = 0;
  #clock = 0;
  total = 0;

  constructor(grid: ClassGrid) {
    this.#grid = grid;
    this.found = Array.from({ length: grid.buckets }, () => new Map());
  }

  #add(id: number, { sessions, since }: { sessions: number; since: number }): void {
    const own = this.found[this.#bucket];
    if (this.#clock > since) own?.set(id, (own.get(id) ?? 0) + sessions * (this.#clock - since));
  }

  close(id: number): void {
    const own = this.#there.get(id);
    if (!own) return;
    this.#add(id, own);
    this.total -= own.sessions;
    this.#there.delete(id);
  }

  closeAll(): void {
    for (const id of [...this.#there.keys()]) this.close(id);
  }

  open(id: number, sessions: number): void {
    this.close(id);
    if (sessions > 0) this.#there.set(id, { sessions, since: this.#clock });
    this.total += sessions;
  }

  pass(since: number, until: number): void {
    const { from, to, buckets } = this.#grid;
    const width = (to - from) / buckets;
    let at = Math.max(since, from);
    const last = Math.min(until, to);
    while (this.#bucket < buckets - 1 && last > from + (this.#bucket + 1) * width) {
      const end = from + (this.#bucket + 1) * width;
      this.#clock += Math.max(0, end - at);
      at = Math.max(at, end);
      for (const [id, own] of this.#there) {
        this.#add(id, own);
        own.since = this.#clock;
      }
      this.#bucket += 1;
    }
    this.#clock += Math.max(0, last - at);
  }
}

/**
 * Sessions × milliseconds of each combination in each bucket: to tell which are the largest, and who they were. Costs as
 * much as what changes from tick to tick. Without `counts`: active or not.
 */
export function weighSpans(
  ticks: readonly ClassTick[],
  grid: ClassGrid,
  { holes, counts = () => true }: { holes: Holes; counts?: (id: number) => boolean },
): Map<number, number>[] {
  const sorted = [...ticks].sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  const weights = new Weights(grid);
  let [isKnown, before] = [false, Number.NEGATIVE_INFINITY];
  for (const { at, whole, ids, sessions, gone } of sorted) {
    isKnown ||= whole;
    if (!isKnown) continue;
    const reach = weights.total === 0 && Number.isFinite(before) ? holes.idle_ms : holes.busy_ms;
    if (whole) weights.closeAll();
    for (const id of gone) weights.close(id);
    for (const [index, id] of ids.entries()) if (counts(id)) weights.open(id, sessions[index] ?? 0);
    // What a sample says stands for the time since the one before.
    weights.pass(Math.max(before, at - reach), at);
    before = at;
  }
  weights.closeAll();
  return weights.found;
}

/** All of the time as one. */
export const weighTicks = (
  ticks: readonly ClassTick[],
  { from, to }: { from: number; to: number },
  holes: Holes,
): Map<number, number> => weighSpans(ticks, { from, to, buckets: 1 }, { holes })[0] ?? new Map();
