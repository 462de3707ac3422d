// Samples of one inquiry together with parts of other tables, in two statements: what there is, then all of it. For whoever shows
// much of many servers at once. Guards: the parts see the same snapshot of the datastore as the samples.
import type { Db } from '../../kernel/db.ts';
import type { Probe } from '../../probes/types.ts';
import type { Intervals } from '../layout/intervals.ts';
import { type Inquiry, plansFor, prepare, type Reading } from './measure-reads.ts';
import { type PlanRow, readPlans } from './plan.queries.ts';
import { intervalsOf } from './plan.ts';
import { type More, type StoredRow, storedRows } from './stored.queries.ts';
import { takenApart } from './stored.ts';

/** What was found before the samples are read. */
export interface FoundBefore {
  intervalsOf(probe: Probe): Intervals;
  /** Until when a tier is filled, in milliseconds since the epoch; null: not at all. */
  filledUntil(probe: Probe, tier: string): number | null;
  /** The table that was asked about. */
  isThere: boolean;
}

export interface BesideQuery {
  inquiry: Inquiry;
  connection_ids: readonly number[];
  /** Whose tiers and intervals are wanted; and a table that some part reads. */
  probes: readonly Probe[];
  table: string;
  more(found: FoundBefore): readonly More[];
}

export interface Beside extends FoundBefore {
  reading: Reading[];
  /** The rows of the parts, in no order. */
  rows: StoredRow[];
}

export async function readBeside(db: Db, query: BesideQuery): Promise<Beside> {
  const { inquiry, connection_ids, probes, table } = query;
  const wanted = plansFor([inquiry]);
  const others = probes.map(({ name }) => ({ probe: name, table, connection_ids }));
  const plan = Map.groupBy(
    await db.rows<PlanRow>(readPlans([...wanted, ...others])),
    (row) => row.plan - wanted.length,
  );
  const rowsOf = (probe: Probe) => plan.get(probes.indexOf(probe)) ?? [];
  const found: FoundBefore = {
    intervalsOf: (probe) => intervalsOf(rowsOf(probe), probe.name),
    filledUntil: (probe, tier) =>
      rowsOf(probe).find(({ part, name }) => part === 'tier' && name === tier)?.at ?? null,
    isThere: probes.some((probe) => rowsOf(probe).some(({ part }) => part === 'table')),
  };
  const { reads, readings } = prepare([inquiry], plan.get(-wanted.length) ?? []);
  const all = await db.rows<StoredRow>(storedRows(reads, query.more(found)));
  // What is asked beside so much is short: it is never read as sums of days.
  const [reading = []] = await readings((await takenApart(reads, all)) ?? []);
  return { ...found, reading, rows: all.filter(({ part }) => part === 'more') };
}
