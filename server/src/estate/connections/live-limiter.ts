// How many live questions run at once: on a monitored server, and for one user. Whoever finds no permit waits a little, in
// order, and is then sent away with a time to come back. Guards: a burst of questions or tests takes few sessions of a
// server and little memory of ours, whoever asks. Of one process; several have as many each.
import { Fault } from '../../kernel/errors.ts';
import type { ServerSettings } from './targets.service.ts';

export interface Asking {
  user_id: number;
  /** Where the question goes; a server has its permits however many connections lead there. */
  server: string;
  /** How many the server has room for now; fewer than the limit lower it, and absent means not known. */
  room?: number | undefined;
  signal: AbortSignal;
}

export interface LiveLimits {
  of_user: number;
  of_server: number;
  wait_ms: number;
}

export const LIVE_LIMITS = { of_user: 2, of_server: 4, wait_ms: 5000 } as const;
const COME_BACK_SECONDS = 5;

export const serverKey = ({ host, hostaddr, port }: ServerSettings): string =>
  `${hostaddr ?? host.toLowerCase()}:${port}`;

/** The permit is given back when that has settled. */
export type Keep = (until: Promise<unknown>) => void;

interface Waiting extends Asking {
  go(): void;
}

const count = (taken: ReadonlyMap<string | number, number>, key: string | number) => taken.get(key) ?? 0;

export class LiveLimiter {
  readonly #options: LiveLimits;
  readonly #users = new Map<string | number, number>();
  readonly #servers = new Map<string | number, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(options: LiveLimits = LIVE_LIMITS) {
    this.#options = options;
  }

  /**
   * Runs the work with a permit of its own; 429 when none became free in time. The work may keep the permit for longer than it lasts.
   */
  async run<T>(asking: Asking, work: (keep: Keep) => Promise<T>): Promise<T> {
    if (!this.#hasRoom(asking)) await this.#wait(asking);
    else this.#take(asking, 1);
    let kept: Promise<unknown> | undefined;
    const giveBack = () => {
      this.#take(asking, -1);
      this.#letIn();
    };
    try {
      return await work((until) => {
        kept = until;
      });
    } finally {
      if (kept === undefined) giveBack();
      else void kept.then(giveBack, giveBack);
    }
  }

  #ofServer({ room = Infinity }: Asking): number {
    return Math.min(this.#options.of_server, room);
  }

  #hasRoom(asking: Asking): boolean {
    return (
      count(this.#users, asking.user_id) < this.#options.of_user &&
      count(this.#servers, asking.server) < this.#ofServer(asking)
    );
  }

  #take({ user_id, server }: Asking, permits: 1 | -1): void {
    for (const [taken, key] of [
      [this.#users, user_id],
      [this.#servers, server],
    ] as const) {
      const now = count(taken, key) + permits;
      if (now > 0) taken.set(key, now);
      else taken.delete(key);
    }
  }

  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting)) continue;
      this.#waiting.delete(waiting);
      this.#take(waiting, 1);
      waiting.go();
    }
  }

  async #wait(asking: Asking): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { ...asking, go: resolve };
    const giveUp = () => {
      if (this.#waiting.delete(waiting)) reject(this.#refusal(asking));
    };
    const timer = setTimeout(giveUp, this.#options.wait_ms);
    asking.signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.add(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      asking.signal.removeEventListener('abort', giveUp);
    }
  }

  #refusal(asking: Asking): Fault {
    const { of_user } = this.#options;
    const ofServer = this.#ofServer(asking);
    const questions = ofServer === 1 ? 'a question' : `${ofServer} questions`;
    const sentence =
      count(this.#users, asking.user_id) >= of_user
        ? `You already have ${of_user} ${of_user === 1 ? 'question' : 'questions'} to monitored servers running.`
        : `This server is already being asked ${questions}${ofServer < this.#options.of_server ? ', and has few sessions free' : ''}.`;
    return new Fault('too_many_requests', `${sentence} Try again in ${COME_BACK_SECONDS} seconds.`, {
      retryAfterSeconds: COME_BACK_SECONDS,
    });
  }
}

/** Those of this process: tests, lists of databases and whatever else is asked while somebody waits. */
export const liveLimiter = new LiveLimiter();
