// Parses statements with PostgreSQL's own grammar, in a worker. Guards: whoever sends a text gets an answer, whatever it is: time, memory,
// length and depth are capped, a worker that breaks or hangs is replaced, and only so many texts wait. The grammar is that of PostgreSQL
// 18, which reads what 14 to 17 write, and `$1` also where pg_stat_statements puts it and the server itself would not take it.

import { Worker } from 'node:worker_threads';
import { cutText } from '../inert-text.ts';
import { IDLE_MS, MOST_WAITING, refusalOf, SLOWEST_MS, START_MS, WORDS } from './limits.ts';
import type { Parsed, ParsedText, Refusal } from './types.ts';
import type { WorkerAnswer } from './worker.ts';

interface Job {
  readonly text: string;
  readonly settle: (parsed: Parsed) => void;
}

export interface ParserOptions {
  /** Other than usual in tests. */
  readonly slowestMs?: number;
  readonly idleMs?: number;
}

const refused = (why: Refusal, message?: string): Parsed => ({
  kind: 'refused',
  why,
  message: message || (why === 'syntax' ? 'It is not a statement.' : WORDS[why]),
});

const HEAP = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export class StatementParser {
  readonly #waiting: Job[] = [];
  readonly #slowestMs: number;
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #isReady = false;
  #job: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #starts = 0;

  constructor({ slowestMs = SLOWEST_MS, idleMs = IDLE_MS }: ParserOptions = {}) {
    this.#slowestMs = slowestMs;
    this.#idleMs = idleMs;
  }

  /** How many workers there have been. */
  get starts(): number {
    return this.#starts;
  }

  /** Never rejects. */
  parse(text: string): Promise<Parsed> {
    const why = this.#isStopped ? 'stopped' : refusalOf(text);
    if (why) return Promise.resolve(refused(why));
    if (text.trim() === '') return Promise.resolve(refused('syntax'));
    if (this.#waiting.length >= MOST_WAITING) return Promise.resolve(refused('busy'));
    const { promise, resolve } = Promise.withResolvers<Parsed>();
    this.#waiting.push({ text, settle: resolve });
    this.#next();
    return promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const worker = this.#worker;
    this.#end(refused('stopped'));
    for (const { settle } of this.#waiting.splice(0)) settle(refused('stopped'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#job || this.#isStopped) return;
    if (this.#waiting.length === 0) {
      this.#worker?.unref();
      if (this.#worker) this.#after(this.#idleMs, () => this.#end());
      return;
    }
    if (!this.#worker) {
      this.#start();
      return;
    }
    if (!this.#isReady) return;
    this.#job = this.#waiting.shift();
    this.#after(this.#slowestMs, () => this.#end(refused('too_slow')));
    this.#worker.ref();
    this.#worker.postMessage(this.#job?.text);
  }

  #start(): void {
    this.#starts += 1;
    // What the grammar prints about its memory is of no use to anybody.
    const quiet = { stdout: true, stderr: true } as const;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: HEAP, ...quiet });
    for (const stream of [worker.stdout, worker.stderr]) stream.resume();
    this.#worker = worker;
    this.#isReady = false;
    const own = (then: () => void) => () => {
      if (this.#worker === worker) then();
    };
    worker.on('message', (answer: WorkerAnswer) => own(() => this.#answered(answer))());
    const broke = own(() => this.#broke());
    worker.on('error', broke);
    worker.on('exit', broke);
    this.#after(START_MS, broke);
  }

  /** One that cannot even start fails whoever waits, rather than being started for ever. */
  #broke(): void {
    if (!this.#isReady) this.#job ??= this.#waiting.shift();
    this.#end(refused('too_large'));
  }

  #answered(answer: WorkerAnswer): void {
    if (answer.kind === 'ready') {
      this.#isReady = true;
      this.#next();
      return;
    }
    const isBroken = answer.kind === 'refused' && answer.isBroken;
    if (isBroken) {
      this.#end(refused(answer.why));
      return;
    }
    const parsed: Parsed =
      answer.kind === 'parsed'
        ? { kind: 'parsed', ...(JSON.parse(answer.answer) as ParsedText) }
        : refused(answer.why, answer.why === 'syntax' ? cutText(answer.message, 200) : undefined);
    this.#settle(parsed);
    this.#next();
  }

  #settle(parsed: Parsed): void {
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = undefined;
    this.#worker?.unref();
    job?.settle(parsed);
  }

  /** Ends the worker; the text that it had gets that answer, and the next text a new worker. */
  #end(parsed?: Parsed): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    if (parsed) this.#settle(parsed);
    clearTimeout(this.#timer);
    void worker?.terminate();
    this.#next();
  }

  #after(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
    if (!this.#job && this.#waiting.length === 0) this.#timer.unref();
  }
}
