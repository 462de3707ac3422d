// What a condition would have made of readings of the past: which alerts it would have fired, and until when each would have
// been open. Pure. Guards: every reading is judged by the alerter's own function, in order of time, so that a gap neither
// fires nor clears and whoever vanishes clears; what was held back by the silence after an alert is asked again when that is over.
import {
  type AlertState,
  type Condition,
  isWorse,
  judge,
  type Reading,
  SILENT_SECONDS,
} from './judge.service.ts';

/** Moments in milliseconds since the epoch. */
export interface Fired {
  fired_at: number;
  /** Undefined: it would be open still. */
  cleared_at: number | undefined;
  /** The last one that was judged while it was open. */
  judged_at: number;
  peak: number;
}

interface State {
  open?: AlertState['open'];
  pending?: AlertState['pending'];
  silent_until: number;
  held: Reading | undefined;
}

class Replay {
  readonly fired: Fired[] = [];
  readonly #condition: Condition;
  #state: State = { silent_until: Number.NEGATIVE_INFINITY, held: undefined };

  constructor(condition: Condition) {
    this.#condition = condition;
  }

  #fire({ at, value }: Reading, now: number): void {
    const { severity, operator, threshold } = this.#condition;
    this.#state.open = { severity, operator, threshold, sampledAt: at, wellSamples: 0 };
    this.#state.pending = undefined;
    this.fired.push({ fired_at: now, cleared_at: undefined, judged_at: at, peak: value ?? 0 });
  }

  #hold({ at, value }: Reading, isWell: boolean): void {
    const { open } = this.#state;
    const last = this.fired.at(-1);
    if (!open || !last) return;
    this.#state.open = { ...open, sampledAt: at, wellSamples: isWell ? open.wellSamples + 1 : 0 };
    last.judged_at = at;
    if (!isWell && value !== null && isWorse(value, last.peak, this.#condition)) last.peak = value;
  }

  #clear(at: number): void {
    const last = this.fired.at(-1);
    if (last) Object.assign(last, { cleared_at: at, judged_at: at });
    this.#state.open = undefined;
    this.#state.silent_until = at + SILENT_SECONDS * 1000;
  }

  /** As of `now`, which is when the reading came in or later. */
  judge(reading: Reading, now: number): void {
    const { open, pending, silent_until } = this.#state;
    const silent = now < silent_until ? this.#condition.severity : undefined;
    const verdict = judge(reading, this.#condition, { open, pending, silent });
    this.#state.held = verdict === 'suppressed' ? reading : undefined;
    if (verdict === 'fired') this.#fire(reading, now);
    if (verdict === 'firing' || verdict === 'recovering') this.#hold(reading, verdict === 'recovering');
    if (verdict === 'cleared') this.#clear(reading.at);
    if (verdict === 'ended') this.#state.pending = undefined;
    if (verdict === 'pending')
      this.#state.pending = { since: pending?.since ?? reading.at, sampledAt: reading.at };
  }

  /** What was held back is still the newest when the silence ends, and not older than its probe's gap. */
  askAgain(before: number, gapMs: number): void {
    const { held, silent_until } = this.#state;
    if (held && silent_until < before && silent_until - held.at <= gapMs) this.judge(held, silent_until);
  }
}

/** Readings of one thing in order of time; those further apart than the gap are old. */
export function replay(
  readings: readonly Reading[],
  condition: Condition,
  { to, gap_ms }: { to: number; gap_ms: number },
): Fired[] {
  const run = new Replay(condition);
  for (const reading of readings) {
    run.askAgain(reading.at, gap_ms);
    run.judge(reading, reading.at);
  }
  run.askAgain(to, gap_ms);
  return run.fired;
}

/** For how long it would have been open; as far as anything is known, where it would be open still. */
export const openSeconds = (
  { fired_at, cleared_at, judged_at }: Fired,
  { to, gap_ms }: { to: number; gap_ms: number },
): number =>
  ((cleared_at ?? (to - judged_at <= gap_ms ? to : Math.max(judged_at, fired_at))) - fired_at) / 1000;
