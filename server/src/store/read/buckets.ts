// Numbers over a window, cut into buckets of equal width, with honest gaps: a bucket that nobody measured is null. One
// series for each connection, or for each group of entities of it; a second window of the same length on the same grid
// where it is to be compared; or what each entity comes to over the whole window. Pure.
import { Fault } from '../../kernel/errors.ts';
import { append } from '../../kernel/lists.ts';
import { nextTurn } from '../../kernel/scheduler.ts';
import type { Tier } from '../layout/tiers.ts';
import {
  type Bucket,
  finished,
  finishedCounter,
  type Measures,
  together,
  type Window,
  wholeOf,
} from './measure.ts';
import type { MeasuredDatabase, Reading } from './measure-reads.ts';
import type { Entity, Group, Question, Selection } from './question.ts';

export interface BucketsQuery extends Selection {
  /** Milliseconds since the epoch; the buckets are equal parts. */
  from: number;
  to: number;
  buckets: number;
  /** A series for each combination of these key and label columns, and `database_name`; none: one a connection. */
  group_by?: readonly string[];
  /** Where a second window of the same length begins. */
  compare_from?: number;
}

export interface Values {
  /** One for each bucket; null where nothing was measured. */
  values: (number | null)[];
  /** Over the whole window, of what was measured in it. */
  whole: number | null;
  /** Share of the window that was measured, 0 to 1. */
  coverage: number;
}

export interface Series extends Values {
  connection_id: number;
  /** By the names of `group_by`. */
  group: Group;
  /** The coarsest that was read; what is newer than it was read from the samples. */
  tier: 'raw' | Tier['name'];
  /** In the second window. */
  compared?: Values;
}

const MOST_BUCKETS = 10_000;

/** What one database says of a group. */
interface Own {
  /** Undefined: nothing was measured in it. */
  inBucket(index: number): Bucket | undefined;
  inAll(): Bucket;
}

const sumOf = (all: Float64Array) => all.reduce((sum, one) => sum + one, 0);

/** Of a counter of objects: what did not grow is in no tick, and was measured as long as its family. */
function ofFamily({ aggregate }: Question, { measures }: MeasuredDatabase, group: string): Own {
  const { family } = measures;
  const totals = measures.gains?.totalsOf(group);
  return {
    inBucket: (index) =>
      family[index] ? finishedCounter(totals?.[index] ?? 0, family[index], aggregate) : undefined,
    inAll: () => finishedCounter(totals ? sumOf(totals) : 0, sumOf(family), aggregate),
  };
}

function ofGroup({ isCounter, aggregate }: Question, { measures }: MeasuredDatabase, group: string): Own {
  const own = measures.groups.get(group);
  return {
    inBucket: (index) => own?.[index] && finished(own[index], aggregate, isCounter),
    inAll: () => finished(wholeOf(own ?? []), aggregate, isCounter),
  };
}

function valuesOf(
  question: Question,
  measured: readonly MeasuredDatabase[],
  of: { group: string; window: Window },
): Values {
  const { isCounter, combine, layout } = question;
  const { from, to, buckets } = of.window;
  const ownOf = isCounter && layout.keeps === 'objects' ? ofFamily : ofGroup;
  const own = measured.map((one) => ownOf(question, one, of.group));
  const found = Array.from({ length: buckets }, (_none, index) => {
    const said: Bucket[] = [];
    for (const one of own) {
      const bucket = one.inBucket(index);
      if (bucket) said.push(bucket);
    }
    return together(said, combine);
  });
  const seconds = found.reduce((sum, bucket) => sum + bucket.seconds, 0);
  // One bucket is all of it: reads of thousands of objects ask for no more.
  const [whole] =
    found.length === 1
      ? found
      : [
          together(
            own.map((one) => one.inAll()),
            combine,
          ),
        ];
  return {
    values: found.map(({ value }) => value),
    whole: whole?.value ?? null,
    coverage: Math.min(1, (seconds * 1000) / (to - from)),
  };
}

/** What a reading says of one connection. */
interface OwnReading {
  windows: readonly (readonly MeasuredDatabase[])[];
  entities: readonly Entity[];
}

/** By connection, since there may be a thousand of them. */
function readingsOf(reading: Reading): Map<number, OwnReading> {
  const windows = reading.windows.map((all) => Map.groupBy(all, ({ connection_id }) => connection_id));
  const entities = Map.groupBy(reading.entities ?? [], ({ connection_id }) => connection_id);
  const ids = new Set([...windows.flatMap((own) => [...own.keys()]), ...entities.keys()]);
  return new Map(
    [...ids].map((id) => [
      id,
      { windows: windows.map((own) => own.get(id) ?? []), entities: entities.get(id) ?? [] },
    ]),
  );
}

/** Groups of a connection with the databases they are in. */
function groupsOf(reading: Reading, question: Question, own: OwnReading): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const put = (group: string, database: string) => {
    const known = found.get(group);
    if (known) known.add(database);
    else found.set(group, new Set([database]));
  };
  for (const all of own.windows)
    for (const { database_name, measures } of all)
      for (const group of measures.names()) put(group, database_name);
  // Objects that did not grow are in no tick, and there all the same.
  if (question.isCounter && question.layout.keeps === 'objects')
    for (const entity of own.entities)
      if (isIn(question, entity.database_name)) put(reading.groups.ofEntity(entity), entity.database_name);
  return found;
}

const isIn = ({ database_name }: Question, name: string) =>
  database_name === undefined || database_name === name;

/** The window, and the one it is compared with; refused where it is no window. */
export function windowsOf({
  from,
  to,
  buckets,
  compare_from,
}: Omit<BucketsQuery, keyof Selection>): Window[] {
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  if (buckets > MOST_BUCKETS) throw new Fault('bad_request', `At most ${MOST_BUCKETS} buckets at once.`);
  const window: Window = { from, to, buckets };
  return compare_from === undefined
    ? [window]
    : [window, { from: compare_from, to: compare_from + to - from, buckets }];
}

/** Series of a connection by group. Other work goes on between two of them: there may be thousands. */
async function seriesIn(
  { reading, question, windows }: BucketRead,
  connection_id: number,
  own: OwnReading,
): Promise<Series[]> {
  const groups = groupsOf(reading, question, own);
  if (question.group_by !== 'each' && question.group_by.length === 0)
    groups.set('', new Set(own.windows.flat().map(({ database_name }) => database_name)));
  const inOrder = [...groups].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const byDatabase = own.windows.map((all) => Map.groupBy(all, ({ database_name }) => database_name));
  const found: Series[] = [];
  for (const [group, databases] of inOrder) {
    await nextTurn();
    const [values, compared] = windows.map((one, index) =>
      valuesOf(
        question,
        [...databases].flatMap((name) => byDatabase[index]?.get(name) ?? []),
        { group, window: one },
      ),
    );
    found.push({
      connection_id,
      group: reading.groups.valuesOf(group),
      ...(values ?? { values: [], whole: null, coverage: 0 }),
      tier: reading.tier,
      ...(compared && { compared }),
    });
  }
  return found;
}

interface BucketRead {
  reading: Reading;
  question: Question;
  windows: readonly Window[];
}

/** Series of each connection in the order asked, of what was read of these windows. */
export async function seriesOf(asked: BucketRead): Promise<Series[]> {
  const { reading, question, windows } = asked;
  const readings = readingsOf(reading);
  const found: Series[] = [];
  for (const connection_id of question.connection_ids) {
    const own = readings.get(connection_id) ?? { windows: windows.map(() => []), entities: [] };
    append(found, await seriesIn(asked, connection_id, own));
  }
  return found;
}

/** What an entity comes to. */
export interface Candidate {
  connection_id: number;
  database_name: string;
  group: string;
  value: number;
  seconds: number;
}

/** Calls back for each group of which something is known in the first bucket. */
export function eachCandidate(
  { isCounter, aggregate, layout }: Question,
  measures: Measures,
  visit: (group: string, value: number, seconds: number) => void,
): void {
  const isFamily = isCounter && layout.keeps === 'objects';
  if (isFamily) {
    const family = measures.family[0] ?? 0;
    const over = aggregate === 'rate' ? family : 1;
    if (family > 0) measures.gains?.eachFirst((group, total) => visit(group, total / over, family));
    return;
  }
  for (const [group, [measure]] of measures.groups) {
    const { value, seconds } = finished(measure, aggregate, isCounter);
    if (value !== null) visit(group, value, seconds);
  }
}

export function candidatesOf(
  question: Question,
  { connection_id, database_name, measures }: MeasuredDatabase,
): Candidate[] {
  const found: Candidate[] = [];
  eachCandidate(question, measures, (group, value, seconds) =>
    found.push({ connection_id, database_name, group, value, seconds }),
  );
  return found;
}
