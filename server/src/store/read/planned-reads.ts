// The reader of numbers. One statement for as many columns of as many probes as are asked, most of the time: what there is
// (plan.queries.ts) is read along with everything that is stored of it (stored.queries.ts), where the reader of before has
// left word of how far rollups were filled. Questions about the same rows that are asked while an answer to such a question
// is being read wait for it and are then read together, once. Guards: what was known from before is only a guess; the rows
// that come along say whether it held, and if it did not everything is read anew; an answer is never older than its
// question, since a read begins after everybody whom it answers has asked.

import { Batcher } from '../../kernel/batcher.ts';
import type { Db } from '../../kernel/db.ts';
import { lasting } from '../../kernel/leaving.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { type Inquiry, type MeasuredOptions, plansFor, prepare, type Reading } from './measure-reads.ts';
import { type PlanQuery, type PlanRow, plansAlong, readPlans } from './plan.queries.ts';
import type { Question } from './question.ts';
import { type StoredRow, storedRows } from './stored.queries.ts';
import { readUnopened, takenApart } from './stored.ts';
import { areSame } from './stored-read.ts';

/** Rollups grow by the hour. Samples of so short a time before their end are certainly there: they are kept for days. */
const OLDEST_GUESS_MS = 120 * MINUTE_MS;
const MOST_GUESSES = 500;

/** What was found of the tiers and intervals of a probe on some connections; of objects few, by which the databases are known that have them. */
type Guesses = Map<string, readonly PlanRow[]>;

interface Reader {
  guesses: Guesses;
  together: Batcher<readonly Inquiry[], Reading[][]>;
}

const readers = new WeakMap<Db, Reader>();

function readerOf(db: Db): Reader {
  const base = lasting(db);
  const known = readers.get(base);
  if (known) return known;
  const made: Reader = {
    guesses: new Map(),
    together: new Batcher((all, own = base) => readTogether(own, all)),
  };
  readers.set(base, made);
  return made;
}

const guessKey = ({ probe, connection_ids, objects }: PlanQuery) =>
  JSON.stringify([probe, connection_ids, Object.keys(objects?.where ?? {})]);

const MOST_OBJECTS = 20;
const isKept = ({ part, object_ids }: PlanRow) =>
  part !== 'objects' || (object_ids?.length ?? 0) <= MOST_OBJECTS;

function remember({ guesses }: Reader, wanted: readonly PlanQuery[], rows: readonly PlanRow[]): void {
  const byPlan = Map.groupBy(rows, ({ plan }) => plan);
  for (const [index, plan] of wanted.entries()) {
    const key = guessKey(plan);
    guesses.delete(key);
    const own = (byPlan.get(index) ?? []).filter(isKept);
    // Nothing is there yet.
    if (own.length > 0) guesses.set(key, own);
  }
  for (const key of guesses.keys()) {
    if (guesses.size <= MOST_GUESSES) break;
    guesses.delete(key);
  }
}

/** Rows of all these plans as they were found before; undefined: one of them is not known. */
function guessed({ guesses }: Reader, wanted: readonly PlanQuery[]): PlanRow[] | undefined {
  const found = wanted.map((plan) => guesses.get(guessKey(plan)));
  if (!found.every((own) => own !== undefined)) return undefined;
  return found.flatMap((own, plan) => own.map((row) => ({ ...row, plan })));
}

const tierKey = ({ plan, name }: PlanRow) => `${plan} ${name}`;
const tiersIn = (rows: readonly PlanRow[]) => rows.filter(({ part }) => part === 'tier');

/**
 * What is known now, with rollups as far as the guess had them: what was filled since is read from samples as well.
 * Undefined where the guess tells of another state: a tier that is new or was taken back, or filled long since.
 */
function corrected(guess: readonly PlanRow[], rows: readonly PlanRow[]): PlanRow[] | undefined {
  const before = new Map(tiersIn(guess).map((row) => [tierKey(row), row]));
  const now = tiersIn(rows);
  const holds = ({ at, ...row }: PlanRow) => {
    const old = before.get(tierKey({ at, ...row }));
    if (!old || (old.at === null) !== (at === null)) return false;
    const filled = (at ?? 0) - (old.at ?? 0);
    return filled >= 0 && filled <= OLDEST_GUESS_MS;
  };
  if (now.length !== before.size || !now.every(holds)) return undefined;
  return [...before.values(), ...rows.filter(({ part }) => part !== 'tier')];
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

/** Undefined: the guess did not hold. `rows` is told what was found of the plans. */
async function readGuessing(
  db: Db,
  of: { inquiries: readonly Inquiry[]; wanted: readonly PlanQuery[]; guess: readonly PlanRow[] },
  found: (rows: PlanRow[]) => void,
): Promise<Reading[][] | undefined> {
  const { inquiries, wanted, guess } = of;
  const { reads } = prepare(inquiries, guess);
  const { plans, expanded } = eachOnce(wanted);
  const all = await db.rows<StoredRow>(storedRows(reads, [plansAlong(plans)]));
  const rows = expanded(all.filter(({ part }) => part === 'more').flatMap(planRowsOf));
  found(rows);
  const known = corrected(guess, rows);
  const now = known && prepare(inquiries, known);
  if (!now || !areSame(reads, now.reads)) return undefined;
  const stored = await takenApart(
    now.reads,
    all.filter(({ part }) => part !== 'more'),
  );
  return stored && now.readings(stored);
}

async function readThem(db: Db, inquiries: readonly Inquiry[]): Promise<Reading[][]> {
  const reader = readerOf(db);
  const wanted = plansFor(inquiries);
  const guess = guessed(reader, wanted);
  let rows: PlanRow[] | undefined;
  if (guess) {
    const answer = await readGuessing(db, { inquiries, wanted, guess }, (found) => {
      rows = found;
      remember(reader, wanted, found);
    });
    if (answer) return answer;
  }
  if (!rows) {
    const { plans, expanded } = eachOnce(wanted);
    rows = expanded(await db.rows<PlanRow>(readPlans(plans)));
    remember(reader, wanted, rows);
  }
  const { reads, readings } = prepare(inquiries, rows);
  return readings(await readUnopened(db, reads));
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
 * Two that are asked together and seldom again, so that nothing is left word of. The second is read only where objects were ever seen
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
