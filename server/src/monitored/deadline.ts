// One time limit over several steps. Guards: whatever a step waits for, it ends when the time is over or the caller
// has gone, and the timer never outlives the work.
import { systemClock } from '../kernel/clock.ts';

export class Deadline {
  readonly #endsAt: number;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  readonly #onOuter = () => this.#controller.abort();

  constructor(ms: number, outer?: AbortSignal) {
    this.#endsAt = systemClock.monotonic() + ms;
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
    this.#outer = outer;
    if (outer?.aborted) this.#controller.abort();
    outer?.addEventListener('abort', this.#onOuter, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the caller gave up, rather than the time. */
  get cancelled(): boolean {
    return this.#outer?.aborted ?? false;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - systemClock.monotonic());
  }

  /** Settles with `work`, or rejects with the signal's reason as soon as the time is over. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const give = () => reject(this.signal.reason);
    if (this.signal.aborted) give();
    this.signal.addEventListener('abort', give, { once: true });
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener('abort', give);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onOuter);
  }
}
