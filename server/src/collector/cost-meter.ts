// What collecting costs one monitored server, measured at each run: a recent mean for each probe, which the budget
// uses, and the last hour, which people are shown. Pure but for the clock it is told. Guards: memory is bounded
// whatever the intervals are.

import { greatest } from '../kernel/lists.ts';
import { HOUR_MS } from '../kernel/units.ts';

/** One run as the server felt it. */
export interface RunCost {
  readonly took_ms: number;
  readonly rows: number;
  /** Undefined where nobody counted them. */
  readonly bytes?: number;
}

/** Sums over the last hour. */
export interface HourCost {
  /** Monotonic. */
  readonly since: number;
  readonly runs: number;
  readonly total_ms: number;
  readonly max_ms: number;
  readonly rows: number;
  readonly bytes: number | null;
}

interface Slice {
  readonly from: number;
  runs: number;
  total_ms: number;
  max_ms: number;
  rows: number;
  bytes: number | null;
}

interface CostWindow {
  slices: Slice[];
  /** Runs and their time, fading with the window. */
  weight: number;
  weighted_ms: number;
  at: number;
}

const SLICE_MS = 300_000;

export class CostMeter {
  readonly #windowMs: number;
  readonly #measured = new Map<string, CostWindow>();

  /** Older runs count ever less in the mean: by a window ago, a third. */
  constructor(windowMs = 300_000) {
    this.#windowMs = windowMs;
  }

  #at(name: string, now: number): { one: CostWindow; slice: Slice } {
    const one = this.#measured.get(name) ?? { slices: [], weight: 0, weighted_ms: 0, at: now };
    this.#measured.set(name, one);
    const fade = Math.exp((one.at - now) / this.#windowMs);
    one.weight *= fade;
    one.weighted_ms *= fade;
    one.at = now;
    let slice = one.slices.at(-1);
    if (!slice || now - slice.from >= SLICE_MS) {
      slice = { from: now, runs: 0, total_ms: 0, max_ms: 0, rows: 0, bytes: null };
      one.slices = [...one.slices.filter(({ from }) => now - from < HOUR_MS), slice];
    }
    return { one, slice };
  }

  /** Time that belongs to its runs and is no run of its own. */
  add(name: string, took_ms: number, now: number): void {
    const { one, slice } = this.#at(name, now);
    one.weighted_ms += took_ms;
    slice.total_ms += took_ms;
  }

  note(name: string, run: RunCost, now: number): void {
    const { one, slice } = this.#at(name, now);
    one.weight += 1;
    one.weighted_ms += run.took_ms;
    slice.runs += 1;
    slice.total_ms += run.took_ms;
    slice.max_ms = Math.max(slice.max_ms, run.took_ms);
    slice.rows += run.rows;
    if (run.bytes !== undefined) slice.bytes = (slice.bytes ?? 0) + run.bytes;
  }

  /** Mean of its recent runs; undefined for one that never ran. */
  meanMs(name: string): number | undefined {
    const one = this.#measured.get(name);
    return one && one.weight > 0 ? one.weighted_ms / one.weight : undefined;
  }

  /** Percent of one core that it took lately, however often that was. */
  recentPercent(name: string, now: number): number {
    const one = this.#measured.get(name);
    if (!one) return 0;
    return (100 * one.weighted_ms * Math.exp((one.at - now) / this.#windowMs)) / this.#windowMs;
  }

  get names(): string[] {
    return [...this.#measured.keys()];
  }

  /** Changes with each run, and when one leaves the last hour: until then `hour` answers the same. */
  mark(name: string, now: number): { readonly noted: number; readonly since: number } {
    const one = this.#measured.get(name);
    const oldest = one?.slices.find(({ from }) => now - from < HOUR_MS);
    return { noted: one?.at ?? 0, since: oldest?.from ?? 0 };
  }

  hour(name: string, now: number): HourCost {
    const slices = (this.#measured.get(name)?.slices ?? []).filter(({ from }) => now - from < HOUR_MS);
    const sum = (read: (slice: Slice) => number) => slices.reduce((total, slice) => total + read(slice), 0);
    const counted = slices.filter(({ bytes }) => bytes !== null);
    return {
      since: slices[0]?.from ?? now - HOUR_MS,
      runs: sum(({ runs }) => runs),
      total_ms: sum(({ total_ms }) => total_ms),
      max_ms: greatest(
        slices.map(({ max_ms }) => max_ms),
        0,
      ),
      rows: sum(({ rows }) => rows),
      bytes: counted.length === 0 ? null : counted.reduce((total, { bytes }) => total + (bytes ?? 0), 0),
    };
  }
}
