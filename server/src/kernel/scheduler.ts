// Shares the event loop fairly between heavy pieces of work: between two pieces, work asks whether it may go on.
// Guards: within one turn of the event loop such work runs for about 10 ms at most, whoever it belongs to. Work that
// has to wait goes on in the order in which it asked, one piece in each turn, so that sockets and timers are served in
// between.
import { systemClock } from './clock.ts';
import { idleMs } from './idle.ts';

const SLICE_MS = 10;

class Scheduler {
  #waiting: (() => void)[] = [];
  /** When the work of this turn began, and how long the thread had had nothing to do by then. */
  #began = Number.NEGATIVE_INFINITY;
  #idle = -1;

  /** Undefined: go on at once. */
  next(): Promise<void> | undefined {
    if (this.#waiting.length === 0) {
      const now = systemClock.monotonic();
      const idle = idleMs();
      // The thread had nothing to do meanwhile, so this is another turn. A setImmediate for each turn would tell the same,
      // and make the loop turn once more each time.
      if (idle !== this.#idle) this.#begin(now, idle);
      if (now - this.#began < SLICE_MS) return undefined;
      setImmediate(() => this.#runNext());
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  #begin(now: number, idle: number): void {
    this.#began = now;
    this.#idle = idle;
  }

  #runNext(): void {
    const next = this.#waiting.shift();
    this.#begin(systemClock.monotonic(), idleMs());
    if (this.#waiting.length > 0) setImmediate(() => this.#runNext());
    next?.();
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
