// Statements that nobody waits for any more are ended: a datastore of a request sends each with a signal, and the pool has the
// server cancel what is under way once it aborts (db.ts). Guards: what several requests wait for ends with the last of them; what is kept
// for others, or goes on after the reply, is read from `lasting`, which no client ends by leaving.
import type { Db } from './db.ts';
import type { Sql } from './sql.ts';

/** A part of a statement may be built when it is read, so that it cannot be spread. */
const leaving = ({ text, values, name }: Sql, signal: AbortSignal): Sql => ({
  ...{ text, values, signal },
  ...(name !== undefined && { name }),
});

/** The same datastore, whose statements end when the signal aborts. */
export function until(db: Db, signal: () => AbortSignal): Db {
  const base = lasting(db);
  return {
    base,
    get signal() {
      return signal();
    },
    rows: (statement) => db.rows(leaving(statement, signal())),
    maybe: (statement) => db.maybe(leaving(statement, signal())),
    one: (statement) => db.one(leaving(statement, signal())),
    run: (statement) => db.run(leaving(statement, signal())),
    transaction: (work) => db.transaction((inner) => work(until(inner, signal))),
  };
}

/** The datastore itself, whose statements run to their end. */
export const lasting = (db: Db): Db => db.base ?? db;

/** A read that several wait for, which ends when the last of them has left. */
export class Shared {
  readonly #controller = new AbortController();
  #waiting = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Somebody waits as well; without a signal to the end. */
  join(signal: AbortSignal | undefined): void {
    this.#waiting += 1;
    if (!signal) return;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  #leave(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#controller.abort();
  }
}

/** The datastore for a read of all of these, each with its own. */
export function shared(dbs: readonly Db[]): Db | undefined {
  const [first] = dbs;
  if (!first) return undefined;
  if (dbs.length === 1) return first;
  if (dbs.some(({ signal }) => signal === undefined)) return lasting(first);
  const together = new Shared();
  for (const { signal } of dbs) together.join(signal);
  return until(lasting(first), () => together.signal);
}
