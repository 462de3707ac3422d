// Limits that all monitored servers share: how many connections are opened a second, how many servers are read at the
// same time, and how many sessions one server gets from us. Guards: a dead or slow server holds up the others for a
// second at most, and longer only while our own work or the store is what they wait for.
import { type Clock, systemClock } from '../kernel/clock.ts';

/** Between two connects while there is no room for what they would bring. */
const CROWDED_MS = { first: 200, later: 1000 };
const CROWDED_LOOK_MS = 20;

interface Waiting {
  go(): void;
  signal: AbortSignal;
}

/**
 * At most `perSecond` connects a second, evenly spaced after a small burst. Servers that answered last time, and new
 * ones, go before those that failed and before further databases. While `isCrowded` they go one by one: whoever takes
 * what they read has enough, and would lose what it cannot keep.
 */
export class ConnectGate {
  readonly #gapMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  readonly #isCrowded: () => boolean;
  readonly #queues: Record<'first' | 'later', Waiting[]> = { first: [], later: [] };
  /** When the next one may go, had nobody waited; lags behind now by at most the burst. */
  #next = 0;
  #wentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { perSecond: number; clock: Clock; burst?: number; isCrowded?: () => boolean }) {
    this.#gapMs = 1000 / options.perSecond;
    this.#burst = Math.min(options.burst ?? 10, options.perSecond);
    this.#clock = options.clock;
    this.#isCrowded = options.isCrowded ?? (() => false);
    this.#next = options.clock.monotonic() - this.#burst * this.#gapMs;
  }

  /** Resolves when a connect may start; early, too, when the signal aborts. */
  enter(signal: AbortSignal, priority: 'first' | 'later' = 'first'): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = () => {
      signal.removeEventListener('abort', go);
      resolve();
    };
    this.#queues[priority].push({ go, signal });
    signal.addEventListener('abort', go, { once: true });
    this.#pump();
    return promise;
  }

  #pump(): void {
    if (this.#timer !== undefined) return;
    const { first, later } = this.#queues;
    for (;;) {
      const waiting = first[0] ?? later[0];
      if (!waiting) return;
      const now = this.#clock.monotonic();
      this.#next = Math.max(this.#next, now - this.#burst * this.#gapMs);
      const wait = Math.max(this.#next - now, this.#crowdedMs(now, first[0] ? 'first' : 'later'));
      if (!waiting.signal.aborted && wait > 0) {
        this.#pumpIn(wait);
        return;
      }
      (first[0] ? first : later).shift();
      if (waiting.signal.aborted) continue;
      this.#next += this.#gapMs;
      this.#wentAt = now;
      waiting.go();
    }
  }

  #crowdedMs(now: number, priority: 'first' | 'later'): number {
    const left = this.#wentAt + CROWDED_MS[priority] - now;
    return left > 0 && this.#isCrowded() ? Math.min(left, CROWDED_LOOK_MS) : 0;
  }

  #pumpIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, ms);
  }
}

export interface Permit {
  leave(): void;
}

interface HeldPermit {
  readonly since: number;
}

/** So many of the first go before one of the later. */
const FIRST_IN_A_ROW = 4;

interface Waiter {
  readonly go: () => void;
  readonly since: number;
}

/**
 * A number of permits, first come first served; of those that wait, one that may come later goes after FIRST_IN_A_ROW others.
 * While others wait, one that is kept longer than `maxMs`, which may depend on how many they are, is given on, unless
 * `isOurs` says that it is not the server that takes so long: whoever comes next would only wait with the others. No
 * timer runs while nobody waits.
 */
export class Semaphore {
  readonly #waiting: Record<'first' | 'later', Waiter[]> = { first: [], later: [] };
  #inARow = 0;
  /** The one that is kept for longest first. */
  readonly #kept = new Set<HeldPermit>();
  readonly #maxMs: (waiting: number) => number;
  readonly #isOurs: (keptMs: number) => boolean;
  #free: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    permits: number,
    maxMs: number | ((waiting: number) => number) = Number.POSITIVE_INFINITY,
    isOurs: (keptMs: number) => boolean = () => false,
  ) {
    this.#free = permits;
    this.#maxMs = typeof maxMs === 'number' ? () => maxMs : maxMs;
    this.#isOurs = isOurs;
  }

  async enter(priority: 'first' | 'later' = 'first'): Promise<Permit> {
    if (this.#free > 0) this.#free -= 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting[priority].push({ go: resolve, since: systemClock.monotonic() });
      this.#watch();
      await promise;
    }
    const place = { since: systemClock.monotonic() };
    this.#kept.add(place);
    this.#watch();
    return { leave: () => this.#leave(place) };
  }

  #leave(place: HeldPermit): void {
    if (!this.#kept.delete(place)) return;
    const next = this.#next();
    if (next) next();
    else this.#free += 1;
  }

  #next(): (() => void) | undefined {
    const { first, later } = this.#waiting;
    const isLaterDue = later.length > 0 && (first.length === 0 || this.#inARow >= FIRST_IN_A_ROW);
    this.#inARow = isLaterDue ? 0 : this.#inARow + 1;
    return (isLaterDue ? later : first).shift()?.go;
  }

  /** Of those that wait; milliseconds, 0 while nobody does. */
  get longestWaitMs(): number {
    const { first, later } = this.#waiting;
    const now = systemClock.monotonic();
    return now - Math.min(first[0]?.since ?? now, later[0]?.since ?? now);
  }

  get #howMany(): number {
    return this.#waiting.first.length + this.#waiting.later.length;
  }

  get #longestMs(): number {
    return this.#maxMs(this.#howMany);
  }

  #watch(fromNow = false): void {
    const [oldest] = this.#kept;
    const longestMs = this.#longestMs;
    if (this.#timer || !oldest || this.#howMany === 0 || !Number.isFinite(longestMs)) return;
    const leftMs = fromNow ? longestMs : oldest.since + longestMs - systemClock.monotonic();
    this.#timer = setTimeout(() => this.#look(), Math.max(0, leftMs));
  }

  #look(): void {
    this.#timer = undefined;
    const now = systemClock.monotonic();
    const [oldest] = this.#kept;
    const isOurs = this.#isOurs(oldest ? now - oldest.since : 0);
    for (const place of this.#kept) {
      if (isOurs || this.#howMany === 0 || now - place.since < this.#longestMs - 1) break;
      this.#leave(place);
    }
    this.#watch(isOurs);
  }
}

/** Most sessions that connections to the same server keep, together. */
const KEPT = 8;
/** Most that come and go beside them: visits to databases, and sessions of connections that keep none. */
const GUESTS = 2;

interface ServerUse {
  keepers: Set<number>;
  users: Set<number>;
  guests: Semaphore;
}

/**
 * Sessions by server identity (system identifier and start time), never by address: a server has one however many
 * names and connections lead to it. Beyond 8 connections to the same server, the others are guests: they open a session
 * when one of two permits is free.
 */
export class ServerSessions {
  readonly #servers = new Map<string, ServerUse>();

  #use(identity: string): ServerUse {
    const known = this.#servers.get(identity);
    if (known) return known;
    const use = { keepers: new Set<number>(), users: new Set<number>(), guests: new Semaphore(GUESTS) };
    this.#servers.set(identity, use);
    return use;
  }

  /** Whether this connection may keep its session open between ticks. */
  mayKeep(identity: string, connectionId: number): boolean {
    const { keepers, users } = this.#use(identity);
    users.add(connectionId);
    if (keepers.size < KEPT) keepers.add(connectionId);
    return keepers.has(connectionId);
  }

  enterAsGuest(identity: string): Promise<Permit> {
    return this.#use(identity).guests.enter();
  }

  /** The connection leads elsewhere now, or nowhere. */
  leave(identity: string, connectionId: number): void {
    const use = this.#servers.get(identity);
    use?.keepers.delete(connectionId);
    use?.users.delete(connectionId);
    if (use?.users.size === 0) this.#servers.delete(identity);
  }

  /** Sessions kept on each known server. */
  get kept(): number[] {
    return [...this.#servers.values()].map(({ keepers }) => keepers.size);
  }
}
