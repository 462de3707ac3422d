// Starts the embedded PostgreSQL again when it has ended by itself, with growing pauses, and says meanwhile what goes on.
// Guards: a server that ends again and again is not started for ever, whoever stops the program does not race with a
// start, and the last words of the server reach the person.
import { type Clock, sleep } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Server } from './pg-process.ts';

export interface SupervisorOptions {
  /** The one that runs. */
  server: Server;
  /** Starts it on the same files and the same port. */
  restart(signal: AbortSignal): Promise<Server>;
  /** The end of its log since it was last started. */
  lastWords(): string;
  logFile: string;
  clock: Clock;
  log: Log;
}

/** Before the second start, the third, and so on. */
const PAUSES_MS = [100, 1000, 3000, 8000];
const DEATHS = PAUSES_MS.length + 1;
const WITHIN_MS = 10 * 60_000;

const TIMES = ['', '', ' for the second time', ' for the third time', ' for the fourth time'];

/** What the log or the signal says, for a person who does not read such logs every day. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'Its disk is full: make room, and start Matriarch again.'],
  [
    /Input\/output error/,
    'Its disk answers with errors: look at the disk, and restore a backup if it fails.',
  ],
  [/Read-only file system/, 'Its file system is read-only: look why, and mount it writable.'],
  [/Permission denied/, 'It may not read or write its own files: give them back to the user who runs it.'],
  [/out of memory|Cannot allocate memory/i, 'The machine has no memory left for it.'],
  [/could not bind|Address already in use/, 'Another program has taken its port.'],
  [
    /SIGKILL/,
    'The system sends that signal when memory runs out; otherwise a user or a service manager sent it.',
  ],
];

/** Why it ended, in a sentence, and what its log says. */
export function explain(how: string, words: string, logFile: string): string {
  const cause = CAUSES.find(([pattern]) => pattern.test(`${words}\n${how}`))?.[1];
  const log =
    words === '' ? `Its log (${logFile}) says nothing.` : `The end of its log (${logFile}):\n${words}`;
  return [`The last time it ${how}.`, cause, log].filter((part) => part !== undefined).join(' ');
}

export class Supervisor {
  /** Resolves with the reason once it is not started again. */
  readonly failed: Promise<string>;
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  readonly #fail: (reason: string) => void;
  readonly #done: Promise<void>;
  #server: Server;
  #outage: string | undefined;
  #deaths: number[] = [];
  /** Why the last start failed. */
  #refusal = '';

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#server = options.server;
    const failing = Promise.withResolvers<string>();
    this.failed = failing.promise;
    this.#fail = failing.resolve;
    this.#done = this.#watch();
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** A sentence for whoever asks while it is not there. */
  get outage(): string | undefined {
    return this.#outage;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server.stop();
    await this.#done;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#server.exited;
    let how = this.#server.how();
    while (!signal.aborted) {
      if (this.#giveUp(how)) return;
      const deaths = this.#deaths.length;
      this.#outage = `The embedded PostgreSQL has ended${TIMES[deaths]} and is being started again. Try again in a moment.`;
      this.#options.log.warn({ event: 'embedded.ended', how, deaths });
      await sleep(PAUSES_MS[deaths - 1] ?? 0, signal);
      how = await this.#runAgain(signal);
    }
  }

  /** Resolves when it has ended once more, with how. */
  async #runAgain(signal: AbortSignal): Promise<string> {
    if (signal.aborted) return '';
    try {
      this.#server = await this.#options.restart(signal);
    } catch (error) {
      this.#refusal = error instanceof Error ? error.message : String(error);
      return 'did not start';
    }
    if (signal.aborted) await this.#server.stop();
    this.#outage = undefined;
    this.#refusal = '';
    this.#options.log.info({ event: 'embedded.restarted', pid: this.#server.pid });
    await this.#server.exited;
    return this.#server.how();
  }

  #giveUp(how: string): boolean {
    const { clock, lastWords, logFile, log } = this.#options;
    const now = clock.monotonic();
    this.#deaths = [...this.#deaths.filter((at) => now - at < WITHIN_MS), now];
    if (this.#deaths.length < DEATHS) return false;
    log.error({ event: 'embedded.given_up', how, deaths: DEATHS });
    const reason = explain(how, lastWords() || this.#refusal, logFile);
    this.#outage = `The embedded PostgreSQL has ended ${DEATHS} times within ten minutes and is not started again.`;
    this.#fail(`${this.#outage} ${reason}`);
    return true;
  }
}
