// A server whose clock is not the datastore's: what it says of moments is told by the datastore's clock, so that every age is true. Pure.
// Guards: the difference stays the same until a ping proves another one, so that what was told once is not told anew each time; moments
// that only the server compares, and those of other machines, stay as they were told.
import { shownValue } from '../kernel/shown-value.ts';

/** Less changes no judgement of what is older than some minutes. */
const TELL_MS = 30_000;
const NOISE_MS = 1000;
/** Seconds; the sentence stays the same while the clocks differ by as much. */
const STEP = 10;

/** Marks of a reset or a start, which tell one life of a counter or server from the next; clocks of others; moments for statements. */
const AS_TOLD =
  /^(?:\w*stats_(?:reset|since)|postmaster_start_time|valid_until|reply_time|last_msg_send_time|latest_end_time|remote_timestamp|recovery_last_xact_time|blocking_xact_start|holder_since)$/;

export const isAsTold = (column: string): boolean => AS_TOLD.test(column);

/** A moment in UTC by the datastore's clock. */
export const byOurs = (told: string, ahead_ms: number): string =>
  new Date(Date.parse(told) - ahead_ms).toISOString();

export class ServerClock {
  #aheadMs = 0;

  /** How far it is ahead of the datastore's, where that is proven and matters; else 0. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Its time as it answered a ping. */
  heard(theirs: unknown, { attempted_at, took_ms }: { attempted_at: number; took_ms: number }): void {
    const most = Date.parse(String(theirs)) - attempted_at;
    const least = most - took_ms;
    const isAsKnown = this.#aheadMs <= most + NOISE_MS && this.#aheadMs >= least - NOISE_MS;
    if (Number.isNaN(most) || isAsKnown) return;
    this.#aheadMs = Math.max(least, -most) >= TELL_MS ? Math.round((least + most) / 2) : 0;
  }

  /** Undefined: no difference is proven that matters. */
  get words(): string | undefined {
    if (this.#aheadMs === 0) return undefined;
    const by = shownValue(Math.round(Math.abs(this.#aheadMs) / 1000 / STEP) * STEP, 'seconds');
    const way = this.#aheadMs < 0 ? 'behind' : 'ahead of';
    return `The clock of the server is ${by} ${way} the clock of the datastore. Ages are shown without that difference. Synchronize the clocks by NTP.`;
  }
}
