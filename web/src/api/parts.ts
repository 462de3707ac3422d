// A long list of which parts are fetched as they come near the window. Guards: few parts are held, however long the list
// is and wherever somebody scrolls; few are asked for at once, and none that has been scrolled past; what was shown stays
// until the first part of what is asked instead is there.
import { ApiError, isOutage } from './client.ts';

/** Rows of a list from some place on, and how many there are in all; null where the server does not say. */
export interface Part<Row> {
  rows: readonly Row[];
  total: number | null;
}

export type ReadPart<Row> = (offset: number, signal: AbortSignal) => Promise<Part<Row>>;

export interface PartsState<Row> {
  /** Undefined until the first part is there. */
  list: { count: number; at: (index: number) => Row | undefined } | undefined;
  error: ApiError | null;
  /** What is held was asked for before. */
  isOld: boolean;
}

export interface PartsOptions {
  /** Rows of a part. */
  size: number;
  /** Parts that are held. */
  most: number;
  /** For so long the window stands still before anything is asked for. */
  pauseMs?: number;
}

const AT_ONCE = 2;
const PAUSE_MS = 80;
const AGAIN_MS = 5000;
/** Rows that are fetched before they are drawn. */
const AHEAD = 40;

export class Parts<Row> {
  readonly #options: PartsOptions;
  readonly #held = new Map<number, readonly Row[]>();
  readonly #reading = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  #read: ReadPart<Row> | undefined;
  #near: readonly [number, number] = [0, 0];
  #total = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: PartsState<Row> = { list: undefined, error: null, isOld: true };

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = () => this.#state;

  /** From now on the rows of this list. */
  ask(read: ReadPart<Row>): void {
    this.stop();
    this.#read = read;
    this.#tell({ error: null, isOld: true });
    this.#next();
  }

  /** Which rows are drawn. */
  readonly near = (first: number, last: number) => {
    this.#near = [first, last];
    this.#after(this.#options.pauseMs ?? PAUSE_MS);
  };

  readonly retry = () => {
    this.#tell({ error: null });
    this.#next();
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const one of this.#reading.values()) one.abort();
    this.#reading.clear();
  }

  #tell(changed: Partial<PartsState<Row>>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }

  #after(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#next();
    }, ms);
  }

  /** Those with rows that are drawn first, then their neighbours. */
  #wanted(): number[] {
    const { size } = this.#options;
    const last = Math.max(0, Math.ceil(this.#total / size) - 1);
    const partOf = (index: number) => Math.min(last, Math.max(0, Math.floor(index / size)));
    const [from, to] = this.#near;
    const drawn = Array.from({ length: partOf(to) - partOf(from) + 1 }, (_, n) => partOf(from) + n);
    return [...new Set([...drawn, partOf(to + AHEAD), partOf(from - AHEAD)])];
  }

  #next(): void {
    const read = this.#read;
    if (!read || this.#state.error) return;
    const wanted = this.#wanted();
    for (const [part, one] of this.#reading) {
      if (wanted.includes(part)) continue;
      one.abort();
      this.#reading.delete(part);
    }
    const { isOld } = this.#state;
    // Nothing is known of a new list before its first part is there.
    for (const part of isOld ? wanted.slice(0, 1) : wanted) {
      const isHere = !isOld && this.#held.has(part);
      if (!isHere && !this.#reading.has(part) && this.#reading.size < AT_ONCE) void this.#fetch(part, read);
    }
  }

  async #fetch(part: number, read: ReadPart<Row>): Promise<void> {
    const stop = new AbortController();
    this.#reading.set(part, stop);
    try {
      const found = await read(part * this.#options.size, stop.signal);
      if (stop.signal.aborted) return;
      this.#reading.delete(part);
      this.#take(part, found);
      this.#next();
    } catch (cause) {
      if (stop.signal.aborted) return;
      this.#reading.delete(part);
      this.#failed(cause);
    }
  }

  #take(part: number, { rows, total }: Part<Row>): void {
    const { size, most } = this.#options;
    const count = total ?? part * size + rows.length;
    // Of another list, or of this one before rows came or went.
    if (this.#state.isOld || count !== this.#total) this.#held.clear();
    this.#total = count;
    this.#held.set(part, rows);
    const wanted = this.#wanted();
    for (const old of this.#held.keys())
      if (this.#held.size > most && !wanted.includes(old)) this.#held.delete(old);
    const at = (index: number) => this.#held.get(Math.floor(index / size))?.[index % size];
    this.#tell({ list: { count, at }, isOld: false });
  }

  #failed(cause: unknown): void {
    const error =
      cause instanceof ApiError ? cause : new ApiError('The answer could not be read.', { status: 0 });
    this.stop();
    this.#tell({ error });
    if (!isOutage(error)) return;
    const wait = Math.max(AGAIN_MS, 1000 * (error.retryAfterSeconds ?? 0));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.retry();
    }, wait);
  }
}
