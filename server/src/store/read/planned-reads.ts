// The reader of numbers: what there is (plan.queries.ts), then everything that is stored of it (stored.queries.ts). The plan of
// before is kept. Where there is one, what it says is read in the same statement as the plan of now: one statement, and where the
// two plans read the same rows that is the answer. Questions about the same rows that are asked while an answer to such a
// question is being read wait for it and are then read together, once. Guards: an answer comes of the plan of now alone, never of a
// kept one; an answer is never older than its question, since a read begins after all whom it answers have asked; parts of other
// tables see the same snapshot of the datastore as the samples beside them.

import { Batcher } from '../../kernel/batcher.ts';
import type { Db } from '../../kernel/db.ts';
import { lasting } from '../../kernel/leaving.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Probe } from '../../probes/types.ts';
import type { Intervals } from '../layout/intervals.ts';
import { type Inquiry, type MeasuredOptions, plansFor, prepare, type Reading } from './measure-reads.ts';
import { type PlanQuery, type PlanRow, plansAlong, readPlans } from './plan.queries.ts';
import { intervalsOf, type Question } from './question.ts';
import { type More, storedRows } from './stored.queries.ts';
import { readUnopened, takenApart } from './stored.ts';
import { areSame, type StoredRow } from './stored-read.ts';

const MOST_PLANS = 500;

/** What was found before of the tiers and intervals of a probe on some connections; of objects few, by which the databases are known that have them. */
type KeptPlans = Map<string, readonly PlanRow[]>;

interface Reader {
  kept: KeptPlans;
  together: Batcher<readonly Inquiry[], Reading[][]>;
}

const readers = new WeakMap<Db, Reader>();

function readerOf(db: Db): Reader {
  const base = lasting(db);
  const known = readers.get(base);
  if (known) return known;
  const made: Reader = {
    kept: new Map(),
    together: new Batcher((all, own = base) => readTogether(own, all)),
  };
  readers.set(base, made);
  return made;
}

const keyOf = ({ probe, connection_ids, objects }: PlanQuery) =>
  JSON.stringify([probe, connection_ids, Object.keys(objects?.where ?? {})]);

const MOST_OBJECTS = 20;
const isKept = ({ part, object_ids }: PlanRow) =>
  part !== 'objects' || (object_ids?.length ?? 0) <= MOST_OBJECTS;

function keep({ kept }: Reader, wanted: readonly PlanQuery[], rows: readonly PlanRow[]): void {
  const byPlan = Map.groupBy(rows, ({ plan }) => plan);
  for (const [index, plan] of wanted.entries()) {
    const key = keyOf(plan);
    kept.delete(key);
    const own = (byPlan.get(index) ?? []).filter(isKept);
    // Nothing is there yet.
    if (own.length > 0) kept.set(key, own);
  }
  for (const key of kept.keys()) {
    if (kept.size <= MOST_PLANS) break;
    kept.delete(key);
  }
}

/** Rows of all these plans as they were found before; undefined: one of them is not kept. */
function keptRows({ kept }: Reader, wanted: readonly PlanQuery[]): PlanRow[] | undefined {
  const found = wanted.map((plan) => kept.get(keyOf(plan)));
  if (!found.every((own) => own !== undefined)) return undefined;
  return found.flatMap((own, plan) => own.map((row) => ({ ...row, plan })));
}

/** Equal plans are read once; `expanded` gives each its rows. */
function eachOnce(wanted: readonly PlanQuery[]) {
  const byText = Map.groupBy(wanted.keys(), (index) => JSON.stringify(wanted[index]));
  const [groups, plans] = [
    [...byText.values()],
    [...byText.keys()].map((text) => wanted[byText.get(text)?.[0] ?? -1]),
  ];
  return {
    plans: plans.flatMap((plan) => plan ?? []),
    expanded: (rows: readonly PlanRow[]): PlanRow[] =>
      rows.flatMap((row) =>
        (groups[row.plan] ?? []).map((plan) => (plan === row.plan ? row : { ...row, plan })),
      ),
  };
}

const isRow = (value: unknown): value is PlanRow =>
  typeof value === 'object' && value !== null && 'plan' in value && 'part' in value;

function planRowsOf({ t0 }: StoredRow): PlanRow[] {
  const rows: unknown = JSON.parse(t0 ?? '[]');
  if (!Array.isArray(rows) || !rows.every(isRow)) throw new Error('rows of a plan were read');
  return rows;
}

/** The plan of now, and the stored rows that the plan of before names; without one of before the plan alone. */
async function readPlanned(db: Db, inquiries: readonly Inquiry[]) {
  const reader = readerOf(db);
  const wanted = plansFor(inquiries);
  const { plans, expanded } = eachOnce(wanted);
  const before = keptRows(reader, wanted);
  const reads = before && prepare(inquiries, before).reads;
  const all = reads && (await db.rows<StoredRow>(storedRows(reads, [plansAlong(plans)])));
  const found = all
    ? all.filter(({ part }) => part === 'more').flatMap(planRowsOf)
    : await db.rows<PlanRow>(readPlans(plans));
  const rows = expanded(found);
  keep(reader, wanted, rows);
  return { rows, reads, stored: all?.filter(({ part }) => part !== 'more') };
}

async function readThem(db: Db, inquiries: readonly Inquiry[]): Promise<Reading[][]> {
  const { rows, reads: before, stored } = await readPlanned(db, inquiries);
  const { reads, readings } = prepare(inquiries, rows);
  const own = before && stored && areSame(before, reads) ? await takenApart(reads, stored) : undefined;
  return readings(own ?? (await readUnopened(db, reads)));
}

/** Whoever asks about the same is answered from the same rows, but for the columns. */
const aboutOf = (inquiries: readonly Inquiry[]) =>
  JSON.stringify(
    inquiries.map(({ questions: [first], windows }) => [
      first?.layout.probe,
      first?.connection_ids,
      first?.database_name,
      windows.map(({ from, to }) => [Math.floor(from / MINUTE_MS), Math.floor(to / MINUTE_MS)]),
    ]),
  );

/** All that is asked about the same, in one go. */
async function readTogether(db: Db, all: readonly (readonly Inquiry[])[]): Promise<Reading[][][]> {
  const readings = await readThem(db, all.flat());
  let first = 0;
  return all.map(({ length }) => {
    first += length;
    return readings.slice(first - length, first);
  });
}

/** A reading for each question, in the order of the inquiries and of their questions. */
export async function readInquiries(db: Db, inquiries: readonly Inquiry[]): Promise<Reading[][]> {
  if (inquiries.every(({ questions }) => questions.length === 0)) return inquiries.map(() => []);
  // Whoever listens to each sample hears those of the own question alone.
  if (inquiries.some(({ heard }) => heard)) return readThem(db, inquiries);
  return readerOf(db).together.ask(aboutOf(inquiries), inquiries, db);
}

/**
 * Two that are asked together and seldom again, so that no plan is kept. The second is read only where objects were ever seen
 * that it is about.
 */
export async function readBoth(
  db: Db,
  first: Inquiry,
  second: Inquiry,
): Promise<readonly [Reading[], Reading[] | undefined]> {
  const rows = await db.rows<PlanRow>(readPlans(plansFor([first, second])));
  const isSeen = rows.some(({ plan, part }) => plan === 1 && part === 'objects');
  const { reads, readings } = prepare(isSeen ? [first, second] : [first], rows);
  const [own = [], other] = await readings(await readUnopened(db, reads));
  return [own, other];
}

/** Of questions about the same probe, connections, entities and groups: a reading for each, in their order. */
export async function readAllMeasured(
  db: Db,
  questions: readonly Question[],
  options: MeasuredOptions,
): Promise<Reading[]> {
  const [readings = []] = await readInquiries(db, [{ questions, ...options }]);
  return readings;
}

/** What was found before the samples are read. */
export interface FoundBefore {
  intervalsOf(probe: Probe): Intervals;
  /** Until when a tier is filled, in milliseconds since the epoch; null: not at all. */
  filledUntil(probe: Probe, tier: string): number | null;
  /** The table that was asked about. */
  isThere: boolean;
}

interface BesideQuery {
  inquiry: Inquiry;
  connection_ids: readonly number[];
  /** Whose tiers and intervals are wanted; and a table that some part reads. */
  probes: readonly Probe[];
  table: string;
  more(found: FoundBefore): readonly More[];
}

interface Beside extends FoundBefore {
  reading: Reading[];
  /** The rows of the parts, in no order. */
  rows: StoredRow[];
}

/** Samples of one inquiry together with parts of other tables, in two statements: what there is, then all of it. For whoever shows much of many servers at once. */
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
