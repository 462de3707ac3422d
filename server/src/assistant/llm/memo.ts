// An answer kept for a while and asked for once: callers that come while it is being made share the same promise.
// Failures are shared by those who wait, and never kept.
import type { Clock } from '../../kernel/clock.ts';

export interface Memo<T> {
  /** The kept answer of `key`, or that of `make`, which runs at most once at a time for each key. */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  answer: Promise<T>;
  /** On the monotonic clock; undefined while the answer is being made. */
  expires_at: number | undefined;
}

/** `keep_ms` counts from the moment an answer is there. Keys must come from a small, known set. */
export function createMemo<T>(clock: Clock, keep_ms: number): Memo<T> {
  const entries = new Map<string, Entry<T>>();
  return {
    get(key, make) {
      const known = entries.get(key);
      if (known && (known.expires_at === undefined || clock.monotonic() < known.expires_at))
        return known.answer;
      const entry: Entry<T> = { answer: make(), expires_at: undefined };
      entries.set(key, entry);
      entry.answer.then(
        () => {
          entry.expires_at = clock.monotonic() + keep_ms;
        },
        () => {
          if (entries.get(key) === entry) entries.delete(key);
        },
      );
      return entry.answer;
    },
  };
}
