// For probes that return the same rows in every database (pg_stat_statements): which database is read on behalf of all.
// Guards: such a probe is read once for the server, in the first database that can answer it; each database gets its
// own rows, and rows of a dropped database are discarded.
import { type Outcome, type ReadRow, valueIn } from '../store/layout/types.ts';
import type { DatabaseEntry } from './roster.ts';
import type { Slot } from './slots.ts';

/** What became of a probe in one database. */
export interface Share {
  readonly slot: Slot;
  readonly outcome: Outcome;
}

interface DatabaseSlot {
  readonly slot: Slot;
  readonly entry: DatabaseEntry;
}

/** Every database's part of what one of them read. */
function divided(slots: readonly DatabaseSlot[], outcome: Outcome, column: string | undefined): Share[] {
  if (outcome.kind !== 'ran' || column === undefined) return slots.map(({ slot }) => ({ slot, outcome }));
  const { digests } = outcome;
  const parts = new Map<string, { rows: ReadRow[]; digests: number[] }>();
  for (const [index, row] of outcome.rows.entries()) {
    const id = String(valueIn(row, column));
    const part = parts.get(id) ?? { rows: [], digests: [] };
    parts.set(id, part);
    part.rows.push(row);
    part.digests.push(digests?.[index] ?? Number.NaN);
  }
  return slots.map(({ slot, entry }) => {
    const { rows, digests: own } = parts.get(entry.dbid) ?? { rows: [], digests: [] };
    return { slot, outcome: { ...outcome, rows, ...(digests && { digests: Float64Array.from(own) }) } };
  });
}

export class ServerWideLeaders {
  readonly #leaders = new Map<string, string>();

  /** Another database answers for this one. */
  follows({ probe, database_name }: Pick<Slot, 'probe' | 'database_name'>): boolean {
    const leader = this.#leaders.get(probe.name);
    return leader !== undefined && leader !== database_name;
  }

  /** `places`: the probe's slots in all databases. */
  share(slot: Slot, outcome: Outcome, slots: readonly DatabaseSlot[]): Share[] {
    const { name, serverWide } = slot.probe;
    if (!serverWide || slot.database_name === '') return [{ slot, outcome }];
    if (outcome.kind === 'ran') this.#leaders.set(name, slot.database_name);
    const isLeader = this.#leaders.get(name) === slot.database_name;
    if (isLeader && outcome.kind !== 'skipped') return divided(slots, outcome, serverWide.databaseColumn);
    if (isLeader) this.#leaders.delete(name);
    return [{ slot, outcome }];
  }

  /** ServerWideLeaders that are not among these databases any more are given up; answers whose probes. */
  keep(usable: ReadonlySet<string>): string[] {
    const lost = [...this.#leaders].filter(([, leader]) => !usable.has(leader)).map(([name]) => name);
    for (const name of lost) this.#leaders.delete(name);
    return lost;
  }

  forget(): void {
    this.#leaders.clear();
  }
}
