// What the answers of all monitored servers may take in memory together. Guards: beyond the budget only the connection
// that has been receiving for longest goes on, the others are not read until there is room; who holds much of it for
// long while others wait is given up. Small answers never wait.
import { type Clock, systemClock } from '../kernel/clock.ts';

/** What one connection may hold without ever waiting. */
const SMALL_BYTES = 64 * 1024;
const TOTAL_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 500;
/** Whoever receives for so long while others wait makes room for them. */
const PATIENCE_MS = 3000;

/** The connection behind an account, as far as the budget moves it. */
export interface Tap {
  pause(): void;
  resume(): void;
  /** Whether an answer is under way; what has arrived whole waits for us, not for the server. */
  isReceiving(): boolean;
  giveUp(): void;
}

interface Account {
  bytes: number;
  /** Since when it has been receiving more than a small answer; monotonic. */
  since: number;
  readonly tap: Tap;
}

export interface Hold {
  /** So much is held now. */
  set(bytes: number): void;
  /** The connection is over. */
  close(): void;
}

export class ReplyBudget {
  readonly #total: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Those that hold more than a small answer, the one that has done so for longest first. */
  readonly #large = new Set<Account>();
  readonly #waiting = new Set<Account>();
  #held = 0;
  #peak = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { totalBytes?: number; clock?: Pick<Clock, 'monotonic'> } = {}) {
    this.#total = options.totalBytes ?? TOTAL_BYTES;
    this.#clock = options.clock ?? systemClock;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The most that was held since this was asked the last time. */
  takePeak(): number {
    const peak = this.#peak;
    this.#peak = this.#held;
    return peak;
  }

  open(tap: Tap): Hold {
    const account: Account = { bytes: 0, since: 0, tap };
    let isOpen = true;
    return {
      set: (bytes) => {
        if (isOpen) this.#set(account, bytes);
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#waiting.delete(account);
        this.#set(account, 0);
      },
    };
  }

  #set(account: Account, bytes: number): void {
    const grew = bytes > account.bytes;
    this.#held += bytes - account.bytes;
    this.#peak = Math.max(this.#peak, this.#held);
    account.bytes = bytes;
    if (bytes <= SMALL_BYTES) this.#large.delete(account);
    else if (!this.#large.has(account)) {
      account.since = this.#clock.monotonic();
      this.#large.add(account);
    }
    if (grew && !this.#mayGoOn(account)) this.#wait(account);
    if (!grew) this.#wake();
  }

  #mayGoOn(account: Account): boolean {
    const [first] = this.#large;
    return this.#held <= this.#total || account.bytes <= SMALL_BYTES || account === first;
  }

  #wait(account: Account): void {
    if (this.#waiting.has(account)) return;
    this.#waiting.add(account);
    account.tap.pause();
    this.#timer ??= setInterval(() => this.look(), LOOK_MS);
  }

  #wake(): void {
    for (const account of [...this.#waiting]) {
      if (!this.#mayGoOn(account)) continue;
      this.#waiting.delete(account);
      account.since = this.#clock.monotonic();
      account.tap.resume();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Gives up whoever keeps others waiting. */
  look(): void {
    const now = this.#clock.monotonic();
    const late = [...this.#large].filter(
      (account) =>
        !this.#waiting.has(account) && now - account.since > PATIENCE_MS && account.tap.isReceiving(),
    );
    if (this.#waiting.size > 0) for (const { tap } of late) tap.giveUp();
    this.#wake();
  }
}

/** The budget of this process. */
export const replyBudget = new ReplyBudget();
