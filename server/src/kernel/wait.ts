// One wait for the datastore: what is waited for is left as soon as there is no hope for it. Guards: nothing of what came is
// held by who might have given up, so that it goes with whoever waited; a race between two promises would hold it.
import { systemClock } from './clock.ts';
import type { Fault } from './errors.ts';
import type { Waiting } from './heartbeat.ts';

export class Wait implements Waiting {
  readonly since = systemClock.monotonic();
  statement: Waiting['statement'];
  readonly #silent: () => Fault;
  #lost: Fault | undefined;
  #reject: ((why: Fault) => void) | undefined;

  constructor(silent: () => Fault) {
    this.#silent = silent;
  }

  giveUp(): void {
    this.lose(this.#silent());
  }

  lose(why: Fault): void {
    this.#lost ??= why;
    this.#reject?.(this.#lost);
  }

  /** The same as `work`, or the reason why there is no hope, whichever is first. */
  orLost<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#lost) reject(this.#lost);
      work.then(resolve, reject);
    });
  }
}
