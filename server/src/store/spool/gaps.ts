// What the spool had to give up, as data: from when to when, for which connections. Pure. Guards: nothing is dropped
// without being said; what is said stays small however long a datastore is away.

/** Why: the spool was full, the disk would not take more, or bytes on it were damaged. */
export type GapReason = 'full' | 'disk' | 'damaged';

export interface Gap {
  /** Null when nobody can tell which connections it concerns. */
  readonly connection_id: number | null;
  /** Milliseconds since the epoch: the first and the last sample that are missing. */
  readonly from: number;
  readonly to: number;
  readonly reason: GapReason;
}

interface Lost {
  readonly seq: number;
  readonly from: number;
  readonly to: number;
  /** Empty: nobody can tell. */
  readonly connections: readonly number[];
}

/** Records that were given up one after another, with nothing written between them. */
interface Run {
  reason: GapReason;
  first_seq: number;
  last_seq: number;
  spans: Map<number | null, [from: number, to: number]>;
}

/** More runs than this are joined, which says rather too much than too little. */
const MOST_RUNS = 64;

/** Runs that nobody has stored yet. */
export class GapLog {
  #runs: Run[] = [];

  get size(): number {
    return this.#runs.length;
  }

  /** `isWritten` says whether a record between two lost ones was kept, so that they are two gaps. */
  add(reason: GapReason, lost: Lost, isWritten: (after: number, before: number) => boolean): void {
    const before = this.#runs.findLast((run) => run.reason === reason && run.last_seq < lost.seq);
    const joins = before !== undefined && !isWritten(before.last_seq, lost.seq);
    const run = joins ? before : this.#begin(reason, lost.seq);
    run.last_seq = lost.seq;
    for (const id of lost.connections.length > 0 ? lost.connections : [null]) widen(run, id, lost);
    if (this.#runs.length > MOST_RUNS) this.#join();
  }

  #begin(reason: GapReason, seq: number): Run {
    const run = { reason, first_seq: seq, last_seq: seq, spans: new Map() };
    this.#runs.push(run);
    return run;
  }

  #join(): void {
    const [first, second, ...rest] = this.#runs;
    if (!first || !second) return;
    for (const [id, [from, to]] of second.spans) widen(first, id, { from, to });
    this.#runs = [{ ...first, last_seq: second.last_seq }, ...rest];
  }

  /** All of them, in the order in which they began. */
  list(): Gap[] {
    return this.#runs.flatMap(({ reason, spans }) =>
      [...spans].map(([connection_id, [from, to]]) => ({ connection_id, from, to, reason })),
    );
  }

  clear(): void {
    this.#runs = [];
  }

  toJson(): string {
    return JSON.stringify(this.#runs.map((run) => ({ ...run, spans: [...run.spans] })));
  }

  /** Takes back what an earlier process wrote. */
  restore(text: string): void {
    const runs: (Omit<Run, 'spans'> & { spans: [number | null, [number, number]][] })[] = JSON.parse(text);
    this.#runs = runs.map((run) => ({ ...run, spans: new Map(run.spans) }));
  }
}

function widen(run: Run, id: number | null, { from, to }: { from: number; to: number }): void {
  const known = run.spans.get(id);
  run.spans.set(id, known ? [Math.min(known[0], from), Math.max(known[1], to)] : [from, to]);
}
