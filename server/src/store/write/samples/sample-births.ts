// What was made between two readings of a probe that keeps samples: a database, a slot, a subscription. The reading before did not
// have it, so all that it counts was 0 then; a row that says so is stored at that time, and every reader finds the increase as of
// any other row. Pure. Guards: only where the birth is known (a complete reading of the same life of the server before); such rows have
// numbers below zero, and their levels are unknown.
import type { TableLayout } from '../../layout/table-layout.ts';
import { type ProbeRun, type Ran, type Row, wholeRows } from '../../layout/types.ts';

interface Family {
  readonly at: number;
  readonly epoch: number;
  readonly server_instance: string | undefined;
  readonly isWhole: boolean;
  readonly keys: ReadonlySet<string>;
  /** Rows by what their counters belong to. */
  readonly owners: ReadonlyMap<string, Row>;
}

/** Rows as of the reading before. */
export interface Born {
  readonly at: number;
  readonly rows: readonly Row[];
}

/** What is hidden from us today may be shown tomorrow, and is nothing new then. */
export const isMaskedBy = (cause: Ran['cause']): boolean => cause === 'masked' || cause === 'missing_grant';

const textOf = (row: Row, names: readonly string[]) => JSON.stringify(names.map((name) => row[name] ?? null));

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'string';

/** The row of something that was there before under another key goes on from what was counted then. */
function before(layout: TableLayout, row: Row, owner: Row | undefined): Row {
  const values = layout.values.map(({ name, kind }): [string, unknown] => {
    const value = row[name];
    if (kind === 'key' || kind === 'label') return [name, value];
    if (kind !== 'counter' || !isNumber(value)) return [name, null];
    return [name, owner ? (owner[name] ?? null) : 0];
  });
  return Object.fromEntries(values);
}

export class SampleBirths {
  readonly #families = new Map<string, Family>();

  /** Undefined: nothing was made, or nobody knows. */
  of(layout: TableLayout, family: string, run: ProbeRun & { outcome: Ran }): Born | undefined {
    const keys = layout.values.filter(({ kind }) => kind === 'key').map(({ name }) => name);
    if (layout.births.unknown || !layout.values.some(({ kind }) => kind === 'counter')) return undefined;
    const { collected_at: at } = run.outcome;
    const rows = wholeRows(run.outcome.rows);
    const known = this.#families.get(family);
    const owners = layout.births.owners ?? keys;
    this.#families.set(family, {
      at,
      epoch: run.epoch,
      server_instance: run.server_instance,
      isWhole: run.outcome.is_cut !== true && !isMaskedBy(run.outcome.cause),
      keys: new Set(rows.map((row) => textOf(row, keys))),
      owners: new Map(rows.map((row) => [textOf(row, owners), row])),
    });
    if (!known) return withDatabase(layout, run);
    const isSameLife = known.epoch === run.epoch && known.server_instance === run.server_instance;
    if (keys.length === 0 || !isSameLife || !known.isWhole || known.at >= at) return undefined;
    const born = rows.filter((row) => !known.keys.has(textOf(row, keys)));
    if (born.length === 0) return undefined;
    return {
      at: known.at,
      rows: born.map((row) => before(layout, row, known.owners.get(textOf(row, owners)))),
    };
  }

  forget(family: string): void {
    this.#families.delete(family);
  }

  leave(connectionId: number): void {
    for (const family of this.#families.keys())
      if (family.startsWith(`${connectionId}\0`)) this.#families.delete(family);
  }
}

function withDatabase(
  layout: TableLayout,
  { made_after, outcome }: ProbeRun & { outcome: Ran },
): Born | undefined {
  const { collected_at, rows } = outcome;
  if (made_after === undefined || made_after >= collected_at || !layout.births.withDatabase) return undefined;
  return { at: made_after, rows: wholeRows(rows).map((row) => before(layout, row, undefined)) };
}
