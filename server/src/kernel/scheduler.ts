// Turns of the event loop, shared fairly: heavy work in pieces asks between two of them whether it may go on. Guards: the
// pieces of one turn take no longer than a slice and the last of them, whoever they belong to; whoever waits is let go
// on in order, one in each turn, so that sockets and timers are served between any two.
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
