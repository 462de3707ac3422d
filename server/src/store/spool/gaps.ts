// What the spool had to give up, as data: from when to when, for which connections. Pure. Guards: nothing is dropped
// without being said; what is said stays small however long a datastore is away.

/** Why: the spool was full, the disk would not take more, bytes on it were damaged, or memory ran out without it. */
export type GapReason = 'full' | 'disk' | 'damaged' | 'memory';

/** For people. */
export const GAP_WORDS: Record<GapReason, string> = {
  full: 'the spool was full',
  disk: 'the disk of the spool was full',
  damaged: 'the spool was damaged on its disk',
  memory: 'memory ran out, and no disk took it',
};

export interface Gap {
  /** Null when nobody can tell which connections it concerns. */
  readonly connection_id: number | null;
  /** Milliseconds since the epoch: the first and the last sample that are missing. */
  readonly from: number;
  readonly to: number;
  readonly reason: GapReason;
}

export interface Lost {
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

  /** `storedSeq` is a record that was stored: two lost ones with it between them are two gaps. */
  add(reason: GapReason, lost: Lost, storedSeq = -1): void {
    const { seq } = lost;
    const before = this.#runs.findLast((run) => run.reason === reason && run.first_seq <= seq);
    const parted = before !== undefined && storedSeq > before.last_seq && storedSeq < seq;
    const run = before === undefined || parted ? this.#begin(reason, seq) : before;
    run.last_seq = Math.max(run.last_seq, seq);
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
    return this.#runs.flatMap(gapsOf);
  }

  clear(): void {
    this.#runs = [];
  }

  toJson(): string {
    return JSON.stringify(this.#runs.map((run) => ({ ...run, spans: [...run.spans] })));
  }

  /** Adds what an earlier process wrote. */
  absorb(text: string): void {
    for (const run of parse(text)) {
      const known = this.#runs.find((one) => one.first_seq === run.first_seq && one.reason === run.reason);
      if (!known) {
        this.#runs.push(run);
        continue;
      }
      known.last_seq = Math.max(known.last_seq, run.last_seq);
      for (const [id, [from, to]] of run.spans) widen(known, id, { from, to });
    }
    this.#runs.sort((a, b) => a.first_seq - b.first_seq);
  }
}

function parse(text: string): Run[] {
  const runs: (Omit<Run, 'spans'> & { spans: [number | null, [number, number]][] })[] = JSON.parse(text);
  return runs.map((run) => ({ ...run, spans: new Map(run.spans) }));
}

/** The gaps in the text of a record. */
export function gapsIn(text: string): Gap[] {
  return parse(text).flatMap(gapsOf);
}

const gapsOf = ({ reason, spans }: Run): Gap[] =>
  [...spans].map(([connection_id, [from, to]]) => ({ connection_id, from, to, reason }));

function widen(run: Run, id: number | null, { from, to }: { from: number; to: number }): void {
  const known = run.spans.get(id);
  run.spans.set(id, known ? [Math.min(known[0], from), Math.max(known[1], to)] : [from, to]);
}
