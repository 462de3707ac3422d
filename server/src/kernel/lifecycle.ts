// Parts with a lifetime. Whatever starts registers here and is stopped last-in first-out, so that a part
// never outlives something it depends on. A part that hangs in stop() is given up on, and named.
import type { Log } from './log.ts';

export interface Part {
  readonly name: string;
  stop(): Promise<void>;
}

export class Lifecycle {
  readonly #parts: Part[] = [];
  readonly #log: Log;
  #stopping: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add<T extends Part>(part: T): T {
    this.#parts.push(part);
    return part;
  }

  /** Stops everything once, however often it is called. Each part gets `timeoutMs`. */
  stop(timeoutMs = 4000): Promise<void> {
    this.#stopping ??= this.#stopAll(timeoutMs);
    return this.#stopping;
  }

  async #stopAll(timeoutMs: number): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) {
      const timeout = Promise.withResolvers<'timeout'>();
      const timer = setTimeout(() => timeout.resolve('timeout'), timeoutMs);
      const outcome = await Promise.race([
        part
          .stop()
          .catch((cause: unknown) => this.#log.error({ event: 'stop.failed', part: part.name, err: cause })),
        timeout.promise,
      ]);
      clearTimeout(timer);
      if (outcome === 'timeout')
        this.#log.error({ event: 'stop.timeout', part: part.name, timeout_ms: timeoutMs });
    }
  }
}
