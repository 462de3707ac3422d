// A run that is under way in this process: what it has told so far, who listens, and what is stored of it. Guards: an event has
// one number for ever, in memory as in the datastore; text is told in pieces of at least a moment; nothing grows without a bound.
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import { type EventData, insertEvents, keepRun, type StoredEvent } from './chat-runs.queries.ts';

/** Text of a model is batched for so long before it is sent. */
const TEXT_BATCH_MS = 40;
const STORE_MS = 500;
/** After so long without a sign of life the process of a run is taken for gone. */
export const LIFE_MS = 15_000;
const SIGN_MS = 1000;
/** Rights are looked at again, as of every open stream. */
const ACCESS_MS = 5000;
/** A run goes on for so long after the last client has left. */
const ALONE_MS = 120_000;
/** Of the text of an answer, in UTF-16 units. */
const MOST_TEXT = 200_000;

export type WhyStopped = 'cancelled' | 'interrupted' | 'time_used_up' | 'access_ended';

export interface LiveRunOptions {
  id: string;
  user_id: number;
  db: Db;
  clock: Clock;
  log: Log;
}

export class LiveRun {
  readonly id: string;
  readonly user_id: number;
  readonly controller = new AbortController();
  readonly events: StoredEvent[] = [];
  text = '';
  isOver = false;
  why: WhyStopped | undefined;
  readonly #of: LiveRunOptions;
  readonly #over = new AbortController();
  #pendingText = '';
  #textTimer: NodeJS.Timeout | undefined;
  #stored = 0;
  #storing: Promise<void> = Promise.resolve();
  #news = Promise.withResolvers<void>();
  #listeners = 0;
  #aloneSince: number;

  constructor(of: LiveRunOptions) {
    this.#of = of;
    this.id = of.id;
    this.user_id = of.user_id;
    this.#aloneSince = of.clock.monotonic();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Room that is left for text. */
  get room(): number {
    return MOST_TEXT - this.text.length;
  }

  tell(data: EventData): void {
    this.#sendText();
    this.#add(data);
  }

  say(text: string): void {
    const piece = text.slice(0, Math.max(0, this.room)).toWellFormed();
    if (piece === '') return;
    this.text += piece;
    this.#pendingText += piece;
    this.#textTimer ??= setTimeout(() => this.#sendText(), TEXT_BATCH_MS);
  }

  #sendText(): void {
    clearTimeout(this.#textTimer);
    this.#textTimer = undefined;
    const delta = this.#pendingText;
    this.#pendingText = '';
    if (delta !== '') this.#add({ type: 'text', delta });
  }

  #add(data: EventData): void {
    this.events.push({ sequence: this.events.length + 1, data });
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }

  /** What was told after an event, and what is told until the end or until the listener leaves. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    const gone = Promise.withResolvers<void>();
    const leave = () => gone.resolve();
    signal.addEventListener('abort', leave, { once: true });
    this.#listeners += 1;
    try {
      for (let next = after; !signal.aborted; ) {
        const event = this.events[next];
        if (event) {
          next += 1;
          yield event;
        } else if (this.isOver) return;
        else await Promise.race([this.#news.promise, gone.promise]);
      }
    } finally {
      signal.removeEventListener('abort', leave);
      this.#listeners -= 1;
      this.#aloneSince = this.#of.clock.monotonic();
    }
  }

  store(): Promise<void> {
    this.#storing = this.#storing
      .then(async () => {
        const events = this.events.slice(this.#stored);
        if (events.length === 0) return;
        await insertEvents(this.#of.db, this.id, events);
        this.#stored += events.length;
      })
      .catch((error: unknown) =>
        this.#of.log.warn({ event: 'chat.not_stored', run_id: this.id, err: error }),
      );
    return this.#storing;
  }

  /**
   * Stores what is new and gives signs of life until the run is over; stops it when somebody wants that, nobody listens or whoever
   * asked has no access any more, also while the model is silent.
   */
  async keep(hasAccess: () => Promise<boolean>): Promise<void> {
    const { clock, db } = this.#of;
    let signed = clock.monotonic();
    let looked = signed;
    while (!this.isOver) {
      await sleep(STORE_MS, this.#over.signal);
      await this.store();
      if (this.isOver) return;
      if (this.#listeners === 0 && clock.monotonic() - this.#aloneSince > ALONE_MS) this.cancel('cancelled');
      if (clock.monotonic() - signed < SIGN_MS) continue;
      signed = clock.monotonic();
      const expires_at = new Date(clock.now() + LIFE_MS).toISOString();
      const kept = await keepRun(db, this.id, expires_at).catch(() => ({ is_cancelled: false }));
      if (!kept || kept.is_cancelled) this.cancel('cancelled');
      if (signed - looked < ACCESS_MS) continue;
      looked = signed;
      if (!(await hasAccess())) this.cancel('access_ended');
    }
  }

  /** Ends the work behind it; the first reason counts. */
  cancel(why: WhyStopped): void {
    this.why ??= why;
    this.controller.abort();
  }

  /** Whoever listens is told the rest, and then the end. */
  async end(): Promise<void> {
    this.#sendText();
    this.isOver = true;
    this.#over.abort();
    this.#news.resolve();
    await this.store();
  }
}
