// How much work somebody may have done for them: so many seconds of it in a minute, and so many pieces at once. What it takes is known
// only afterwards, so that the last piece may take more than is left, and the next one waits until that is made up for. Guards: who asks
// for much holds up nobody else; the memory for strangers is bounded.
import type { Clock } from './clock.ts';
import { Fault } from './errors.ts';
import { MINUTE_MS } from './units.ts';

export interface WorkBudgetOptions {
  clock: Clock;
  /** Of each minute. */
  seconds: number;
  at_once: number;
  /** Who has as many under way waits so long for one of them to end. */
  wait_ms: number;
  /** As said to who has none left: "questions". */
  what: string;
}

const MOST_KEYS = 10_000;
const COME_BACK_SECONDS = 5;

interface Account {
  /** Milliseconds of work that are left; less than nothing: more was taken. */
  left: number;
  at: number;
  running: number;
  /** Those that wait for one that runs to end, in order. */
  waiting: (() => void)[];
}

export class WorkBudget {
  readonly #options: WorkBudgetOptions;
  readonly #accounts = new Map<string, Account>();

  constructor(options: WorkBudgetOptions) {
    this.#options = options;
  }

  #account(key: string): Account {
    const { clock, seconds } = this.#options;
    const now = clock.monotonic();
    const full = seconds * 1000;
    const known = this.#accounts.get(key) ?? { left: full, at: now, running: 0, waiting: [] };
    known.left = Math.min(full, known.left + ((now - known.at) / MINUTE_MS) * full);
    known.at = now;
    this.#accounts.delete(key);
    this.#accounts.set(key, known);
    for (const [oldest, { running, waiting }] of this.#accounts) {
      if (this.#accounts.size <= MOST_KEYS) break;
      if (running + waiting.length === 0) this.#accounts.delete(oldest);
    }
    return known;
  }

  #refusal(sentence: string, retryAfterSeconds: number): Fault {
    const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
    return new Fault('too_many_requests', `${sentence} Try again in ${retryAfterSeconds} ${unit}.`, {
      retryAfterSeconds,
    });
  }

  /** Until one of those that run has ended; it leaves its place to who waited longest. */
  async #place(account: Account): Promise<void> {
    const { at_once, wait_ms, what } = this.#options;
    if (account.running < at_once) {
      account.running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    account.waiting.push(resolve);
    const timer = setTimeout(() => {
      account.waiting = account.waiting.filter((one) => one !== resolve);
      reject(this.#refusal(`You already have ${at_once} ${what} under way.`, COME_BACK_SECONDS));
    }, wait_ms);
    await promise.finally(() => clearTimeout(timer));
  }

  #leave(account: Account): void {
    const next = account.waiting.shift();
    if (next) next();
    else account.running -= 1;
  }

  /** Does the work and takes what it took from what is left; 429 where nothing is. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { clock, seconds, what } = this.#options;
    const account = this.#account(key);
    if (account.left <= 0) {
      const wait = Math.ceil((-account.left / (seconds * 1000)) * (MINUTE_MS / 1000)) + 1;
      const sentence = `Your ${what} took ${seconds} seconds of the last minute, which is what each person has.`;
      throw this.#refusal(sentence, wait);
    }
    await this.#place(account);
    const began = clock.monotonic();
    try {
      return await work();
    } finally {
      this.#leave(account);
      account.left -= clock.monotonic() - began;
    }
  }
}
