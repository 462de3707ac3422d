// Parts with a lifetime. Whatever starts registers here and is stopped last-in first-out, so that a part
// never outlives something it depends on. A part that hangs in stop() is given up on, and named. Guards: several that
// hang do not add up: all of it ends within ten seconds.
import { systemClock } from './clock.ts';
import type { Log } from './log.ts';

/** A part gets so long while nothing else has hung. */
const PART_MS = 4000;
/** Once so much has passed, each of the rest gets the least. */
const ALL_MS = 6000;
const LEAST_MS = 800;

export interface Part {
  readonly name: string;
  stop(): Promise<void>;
}

/** Where parts are added. */
export interface Parts {
  add<T extends Part>(part: T): T;
}

export class Lifecycle implements Parts {
  /** Parts, and places of parts, in the order in which they were added. */
  readonly #parts: (Part | Part[])[] = [];
  readonly #log: Log;
  #stopping: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add<T extends Part>(part: T): T {
    return this.#addTo(this.#parts, part);
  }

  /** What comes when everything stops already, from a start that was under way, is stopped at once. */
  #addTo<T extends Part>(parts: (Part | Part[])[], part: T): T {
    if (this.#stopping === undefined) parts.push(part);
    else void part.stop().catch((cause: unknown) => this.#complain(part, cause));
    return part;
  }

  #complain({ name }: Part, cause: unknown): void {
    this.#log.error({ event: 'stop.failed', part: name, err: cause });
  }

  /** Reserves a place in this order. Parts can be added to it at any time, and stop as if they had been added now. */
  place(): Parts {
    const own: Part[] = [];
    this.#parts.push(own);
    return { add: (part) => this.#addTo(own, part) };
  }

  /** Stops everything once, however often it is called. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const began = systemClock.monotonic();
    for (const part of this.#parts.splice(0).flat().reverse()) {
      const left = ALL_MS - (systemClock.monotonic() - began);
      const timeoutMs = Math.max(LEAST_MS, Math.min(PART_MS, left));
      const timeout = Promise.withResolvers<'timeout'>();
      const timer = setTimeout(() => timeout.resolve('timeout'), timeoutMs);
      const outcome = await Promise.race([
        part.stop().catch((cause: unknown) => this.#complain(part, cause)),
        timeout.promise,
      ]);
      clearTimeout(timer);
      if (outcome === 'timeout')
        this.#log.error({ event: 'stop.timeout', part: part.name, timeout_ms: Math.round(timeoutMs) });
    }
  }
}
