// What was read a moment ago, for lists whose parts are asked for one after another. Guards: few are kept and none for
// long; each datastore has its own; what is kept is not changed by anybody.
import type { Db } from './db.ts';
import { lasting } from './leaving.ts';

export interface RecentReadings<T> {
  /** Undefined: nothing of that name was read lately. */
  get(name: string, now: number): T | undefined;
  keep(name: string, value: T, now: number): void;
}

interface Options {
  /** More than so many: the oldest goes. */
  most: number;
  keepMs: number;
}

function readings<T>({ most, keepMs }: Options): RecentReadings<T> {
  const kept = new Map<string, { value: T; at: number }>();
  const forget = (now: number) => {
    for (const [name, { at }] of kept) if (now - at >= keepMs || kept.size > most) kept.delete(name);
  };
  return {
    get: (name, now) => {
      forget(now);
      return kept.get(name)?.value;
    },
    keep: (name, value, now) => {
      kept.delete(name);
      kept.set(name, { value, at: now });
      forget(now);
    },
  };
}

export function recentReadings<T>(options: Options): { of(db: Db): RecentReadings<T> } {
  const all = new WeakMap<Db, RecentReadings<T>>();
  return {
    of: (db) => {
      const own = all.get(lasting(db)) ?? readings<T>(options);
      all.set(lasting(db), own);
      return own;
    },
  };
}
