// A server whose counters are known as they are shown and as they really grew: statements that are evicted, reset and come back, tables
// that are made, dropped and reset, restarts, lists that are cut. Shares no code with the store. For each pair of readings it
// says what may be told of an object at most (all that happened) and at least (all that the two readings prove).
import type { Row } from '../../store/layout/types.ts';

/** How statements say since when they count: each one (17+), all together (14 to 16), or not at all. */
export type Version = 'since' | 'info' | 'blind';

export interface Entry {
  shown: number;
  /** When it began to count. */
  since: number;
}

export interface Shown {
  readonly at: number;
  readonly life: number;
  readonly isCut: boolean;
  /** The first one of a collector. */
  readonly isFirst: boolean;
  readonly reset: number;
  readonly continuity: string;
  readonly rows: ReadonlyMap<string, Entry>;
  /** All that ever happened, whatever the server has forgotten of it. */
  readonly truth: ReadonlyMap<string, number>;
}

const MOST_STATEMENTS = 4;

/** One list of the server: its statements, or its tables. */
export class CountedList {
  readonly #entries = new Map<string, Entry>();
  readonly #truth = new Map<string, number>();
  readonly #isEvicting: boolean;
  #reset: number;
  #evicted = 0;

  constructor(isEvicting: boolean, at: number) {
    this.#isEvicting = isEvicting;
    this.#reset = at;
  }

  count(name: string, times: number, at: number): void {
    let entry = this.#entries.get(name);
    if (!entry) {
      if (this.#isEvicting && this.#entries.size >= MOST_STATEMENTS) this.#evict();
      entry = { shown: 0, since: at };
      this.#entries.set(name, entry);
    }
    entry.shown += times;
    this.#truth.set(name, (this.#truth.get(name) ?? 0) + times);
  }

  /** What counted least is thrown away. */
  #evict(): void {
    const [least] = [...this.#entries].toSorted(([, a], [, b]) => a.shown - b.shown);
    if (least) this.#entries.delete(least[0]);
    this.#evicted += 1;
  }

  drop(name: string): void {
    this.#entries.delete(name);
  }

  /** Of one object: its counter begins anew, and nothing else says so. */
  resetOne(name: string): void {
    const entry = this.#entries.get(name);
    if (entry) entry.shown = 0;
  }

  /** Of all: statements are thrown away, tables begin anew. */
  resetAll(at: number): void {
    this.#reset = at;
    if (this.#isEvicting) this.#entries.clear();
    else for (const entry of this.#entries.values()) entry.shown = 0;
  }

  /** The `most` that count most. */
  show({ most, ...taken }: Pick<Shown, 'at' | 'life' | 'isFirst'> & { most: number }): Shown {
    const all = [...this.#entries].toSorted(([, a], [, b]) => b.shown - a.shown);
    const rows = new Map(all.slice(0, most).map(([name, entry]) => [name, { ...entry }]));
    const continuity = `${this.#evicted}/${this.#reset}`;
    const isCut = all.length > most;
    return { ...taken, isCut, reset: this.#reset, continuity, rows, truth: new Map(this.#truth) };
  }
}

/** What may be told: of a pair of readings, or of many added up. */
export interface Bounds {
  least: number;
  most: number;
}

function isBirthKnown(
  before: Shown,
  now: Shown,
  of: { entry: Entry; version: Version | undefined },
): boolean {
  if (before.isCut) return false;
  if (of.version === undefined) return true;
  if (of.version === 'blind') return false;
  if (of.version === 'info') return before.continuity === now.continuity;
  return [...before.rows.values()].every(({ since }) => of.entry.since > since);
}

/** Of one object between two readings of one life of the server; `version` where it is a list of statements. */
export function boundsOf(
  { before, now }: { before: Shown; now: Shown },
  name: string,
  version: Version | undefined,
): Bounds {
  const most = (now.truth.get(name) ?? 0) - (before.truth.get(name) ?? 0);
  const [old, entry] = [before.rows.get(name), now.rows.get(name)];
  // Of what a cut list held without a change nothing is stored that says so.
  if (!entry || (now.isFirst && before.isCut)) return { least: 0, most };
  if (!old) return { least: isBirthKnown(before, now, { entry, version }) ? entry.shown : 0, most };
  const isAnew =
    entry.shown < old.shown ||
    (version !== undefined && version !== 'blind' && before.reset !== now.reset) ||
    (version === 'since' && entry.since !== old.since);
  return { least: isAnew ? entry.shown : entry.shown - old.shown, most };
}

/** As probes read it: without zeros at the end. */
const time = (at: number) => new Date(at).toISOString().replace(/\.?0*Z$/, 'Z');

export const statementRows = ({ rows, reset }: Shown, version: Version): Row[] =>
  [...rows].map(([name, { shown, since }]) => ({
    ...{ userid: 10, dbid: 5, toplevel: true, queryid: name, username: 'app' },
    ...{ calls: shown, total_exec_time: 2 * shown, rows: 3 * shown },
    stats_since: version === 'since' ? time(since) : null,
    stats_reset: version === 'blind' ? null : time(reset),
  }));

export const tableRows = ({ rows }: Shown): Row[] =>
  [...rows].map(([name, { shown }]) => ({
    ...{ relid: 20_000 + Number(name), schemaname: 'public', relname: `t${name}`, n_tup_ins: shown },
  }));
