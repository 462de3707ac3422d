// Shares the event loop fairly between heavy pieces of work: between two pieces, work asks whether it may go on.
// Guards: within one turn of the event loop such work runs for about 10 ms at most, whoever it belongs to. Work that
// has to wait goes on in the order in which it asked, one piece in each turn, so that sockets and timers are served in
// between.
import { systemClock } from './clock.ts';

const SLICE_MS = 10;

class Scheduler {
  #waiting: (() => void)[] = [];
  #began: number | undefined;

  /** Undefined: go on at once. */
  next(): Promise<void> | undefined {
    const now = systemClock.monotonic();
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(() => this.#turn());
    }
    if (this.#waiting.length === 0 && now - this.#began < SLICE_MS) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  #turn(): void {
    const next = this.#waiting.shift();
    this.#began = next ? systemClock.monotonic() : undefined;
    if (!next) return;
    setImmediate(() => this.#turn());
    next();
  }
}

const scheduler = new Scheduler();

/** As `yieldIfBusy`, for work that must go on in the same turn when it may: undefined says that it may. */
export function nextTurn(): Promise<void> | undefined {
  return scheduler.next();
}

/** Between two pieces of work: resolves when the next one may begin. */
export async function yieldIfBusy(): Promise<void> {
  await scheduler.next();
}

/** How many pieces of work wait for their turn. */
export const turnsWaiting = (): number => scheduler.waiting;
