// What every connection, database and group of entities measured in each bucket, from the coarsest tier that says what the
// samples would have said, packed hours and the raw head: what has to be known first (plan.queries.ts), what is read then
// (stored.queries.ts), and what follows from both. planned-reads.ts reads. Guards: a tier is taken only where it says the
// same as the samples; between two databases other work of the process goes on.
import { least } from '../../kernel/lists.ts';
import { nextTurn } from '../../kernel/scheduler.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Column } from '../../probes/types.ts';
import type { Tier } from '../layout/tiers.ts';
import {
  cellsOf,
  type EntityNames,
  type Folding,
  foldOne,
  type MeasuredDatabase,
  type SampleListener,
  sampleColumns,
} from './fold-questions.ts';
import type { Window } from './measure.ts';
import type { PlanQuery, PlanRow } from './plan.queries.ts';
import { type Choice, choose, onlySamples, Plan, rawRanges, rolledRanges, summedDays } from './plan.ts';
import { DATABASE, type Entity, Groups, namesOf, type Question } from './question.ts';
import type { Unopened } from './stored.ts';
import {
  type DatabaseOf,
  keyOfDatabase,
  merged,
  type RolledColumnRead,
  rolledColumns,
  type StoredRead,
} from './stored-read.ts';

export type { MeasuredDatabase, SampleListener };

export interface Reading {
  /** By window, in the order asked. */
  readonly windows: readonly (readonly MeasuredDatabase[])[];
  readonly groups: Groups;
  /** Those the question named, where it had to know them. */
  readonly entities: readonly Entity[] | undefined;
  readonly tier: 'raw' | Tier['name'];
}

const PARTS = {
  avg: ['sec'],
  rate: ['sec'],
  min: ['sec', 'min'],
  max: ['sec', 'max'],
  last: ['sec', 'last'],
  sum: ['sec', 'sum'],
};

/** Whether the question cannot be answered without the names of entities. */
function needsNames({ layout, group_by, where }: Question, listAll: boolean): boolean {
  const names = group_by === 'each' ? [] : group_by.filter((name) => name !== DATABASE);
  if (names.length > 0 || Object.keys(where).length > 0 || listAll) return true;
  // Entities of samples are told apart by their keys, those of rollups by the dictionary's ids.
  return group_by === 'each' && layout.keeps === 'samples';
}

export interface MeasuredOptions {
  windows: readonly Window[];
  /** Also the entities of which nothing was said. */
  listAll?: boolean;
  /** Key and label columns that are wanted of entities beside those by which they are grouped. */
  named?: readonly string[];
  /** Samples alone, no rollups; tells of each of them. */
  heard?: SampleListener;
  /** Nothing but what is heard is asked for: what was measured of levels stays empty. */
  isHeardOnly?: boolean;
  /** Of families of objects that are asked for one by one: these alone, by connection; of other connections nothing is read. */
  only?: Only;
}

/** Ids of objects by connection. */
export type Only = ReadonlyMap<number, ReadonlySet<number>>;

/** Questions that are answered from the same rows. */
interface Batch {
  asked: readonly { plan: Plan; choice: Choice }[];
  groups: Groups;
  options: MeasuredOptions;
}

const tierOf = ({ choice }: { choice: Choice }) => choice.tier;

/** Those that rollups answer, and those that only samples do. */
function batchesOf({ asked, ...of }: Batch): Batch[] {
  const [rolled, raw] = [asked.filter(tierOf), asked.filter((one) => !tierOf(one))];
  return [rolled, raw].filter((own) => own.length > 0).map((own) => ({ asked: own, ...of }));
}

/** What a question needs of the rollups of its column. */
const rolledColumn = ({ column, isCounter, aggregate }: Question): RolledColumnRead => ({
  column,
  parts: isCounter ? ['sec'] : PARTS[aggregate],
});

function columnsOf(questions: readonly Question[]): Column[] {
  const [first] = questions;
  return first?.layout.keeps === 'samples'
    ? sampleColumns(questions)
    : [...new Set(questions.map(({ column }) => column))];
}

/** Where nothing is asked of them, all entities there are belong to a group. */
const asksOfEntities = ({ where }: Question) => Object.keys(where).length > 0;

/** Where the objects that are asked for are; undefined: all that there are. */
function databasesOf({ question, entities }: Plan): DatabaseOf[] | undefined {
  if (question.layout.keeps !== 'objects' || !entities || !asksOfEntities(question)) return undefined;
  const found = new Map(entities.map((one) => [keyOfDatabase(one), one]));
  return [...found.values()].map(({ connection_id, database_name }) => ({ connection_id, database_name }));
}

/** Of all connections together; undefined: all there are. */
function wantedIn({ question, entities }: Plan, only: Only | undefined): ReadonlySet<number> | undefined {
  if (only) return new Set([...only.values()].flatMap((ids) => [...ids]));
  if (!entities || !asksOfEntities(question)) return undefined;
  return new Set(entities.map(({ object_id }) => object_id));
}

function readOf({ asked, options: { windows, only, heard } }: Batch, needsState: boolean): StoredRead {
  const [first] = asked;
  if (!first) throw new Error('a batch has questions');
  const { plan, choice } = first;
  const questions = asked.map((one) => one.plan.question);
  const connection_ids = only && [...only.keys()];
  const among = { windows, needsState, connection_ids, isHeard: heard !== undefined };
  const { tier } = choice;
  return {
    layout: plan.question.layout,
    columns: columnsOf(questions),
    database_name: plan.question.database_name,
    databases: databasesOf(plan),
    ranges: rawRanges(plan, choice, among),
    rolled: tier && {
      tier,
      columns: rolledColumns(questions.map(rolledColumn)),
      isPacked: plan.isRolledInDays(tier),
      together: asked.every((one) => one.choice.mode === 'together'),
      ranges: rolledRanges(plan, choice, among),
      summed: summedDays(plan, choice, among),
      only: only && [0, ...new Set([...only.values()].flatMap((ids) => [...ids]))],
    },
    isRaw: !plan.isPacked,
    isOfIncreases: plan.question.layout.keeps === 'objects' && !needsState,
    wanted: wantedIn(plan, only),
  };
}

type Answer = Omit<Reading, 'entities' | 'groups'>;

function namedOf(
  { question, entities = [] }: Plan,
  groupOf: (one: Entity) => string,
): ReadonlyMap<number, EntityNames> {
  const groups = new Map<number, Map<number, string>>();
  for (const one of entities) {
    const own = groups.get(one.connection_id) ?? new Map<number, string>();
    groups.set(one.connection_id, own.set(one.object_id, groupOf(one)));
  }
  const isSome = asksOfEntities(question);
  return new Map(
    [...groups].map(([id, own]) => [id, { groups: own, ids: isSome ? new Set(own.keys()) : undefined }]),
  );
}

const namedById = (ids: ReadonlySet<number>): EntityNames => ({
  groups: new Map([...ids].map((id) => [id, String(id)])),
  ids,
});

const probeOf = ({ asked }: Batch) => asked[0]?.plan.question.layout.probe;

/**
 * Increases say themselves since when they are, so no keyframe is read for them; but where levels of the same probe are read as well
 * everything is read with theirs, once.
 */
function readsOf(batches: readonly Batch[]): StoredRead[] {
  const ofLevels = batches.filter(({ asked }) => asked.some(({ plan }) => !plan.question.isCounter));
  const probes = new Set(ofLevels.map(probeOf));
  return batches.map((batch) => readOf(batch, probes.has(probeOf(batch))));
}

/** Of each of its questions. */
async function foldBatch(
  batch: Batch,
  read: StoredRead,
  stored: readonly Unopened[],
): Promise<[Question, Answer][]> {
  const { asked, groups, options } = batch;
  const { windows, heard, isHeardOnly = false, only } = options;
  const plan = asked[0]?.plan;
  const isById = plan?.question.group_by === 'each' && read.layout.keeps === 'objects';
  const groupOf = (one: Entity) => (isById ? String(one.object_id) : groups.ofEntity(one));
  const named =
    (only && new Map([...only].map(([id, ids]) => [id, namedById(ids)]))) ??
    (plan?.entities && namedOf(plan, groupOf));
  const rolled = (read.rolled?.columns ?? []).map(({ column }) => column);
  const common = { groups, columns: read.columns, rolled, named, heard, isHeardOnly };
  const memberships: Folding['memberships'] = new WeakMap();
  const foldings = asked.map((one): Folding => {
    const { question } = one.plan;
    const cells = question.layout.keeps === 'samples' ? cellsOf(question, read.columns) : undefined;
    return { ...common, ...one, cells, memberships };
  });
  const measured = foldings.map(() => windows.map((): MeasuredDatabase[] => []));
  for (const unopened of stored) {
    const own = await unopened.open();
    for (const [index, folding] of foldings.entries())
      for (const [place, window] of windows.entries()) {
        await nextTurn();
        measured[index]?.[place]?.push(foldOne(folding, own, window));
      }
  }
  const tier = read.rolled?.tier.name ?? 'raw';
  return asked.map(({ plan: { question } }, index) => [question, { windows: measured[index] ?? [], tier }]);
}

/** Questions about the same probe, connections, entities and groups, over the same windows. */
export interface Inquiry extends MeasuredOptions {
  readonly questions: readonly Question[];
}

function planWanted(first: Question, { windows, listAll = false, named = [] }: MeasuredOptions): PlanQuery {
  const { layout, connection_ids, where } = first;
  // By the minute, so that those who ask at once ask the same.
  const from = Math.floor(least(windows.map((window) => window.from)) / MINUTE_MS) * MINUTE_MS;
  const dimensions = [...new Set([...namesOf(first), ...named])];
  const objects = needsNames(first, listAll) ? { where, from, dimensions } : undefined;
  return { probe: layout.probe, table: layout.table.name, connection_ids, objects };
}

/** `rows` are those of its own plan. */
function planned(first: Question, { questions, ...options }: Inquiry, rows: readonly PlanRow[]): Batch {
  const groups = new Groups(first);
  const isNamed = needsNames(first, options.listAll ?? false);
  const asked = questions.map((question) => {
    const plan = new Plan(question, rows, isNamed);
    return { plan, choice: options.heard ? onlySamples : choose(plan, groups, options.windows) };
  });
  return { asked, groups, options };
}

function readingsOf({ asked, groups, options }: Batch, found: ReadonlyMap<Question, Answer>): Reading[] {
  return asked.map(({ plan: { question, entities } }) => {
    const none: Answer = { windows: options.windows.map(() => []), tier: 'raw' };
    return { ...(found.get(question) ?? none), groups, entities };
  });
}

/** What has to be known before these are read. */
export const plansFor = (inquiries: readonly Inquiry[]): PlanQuery[] =>
  inquiries.flatMap(({ questions: [first], ...options }) => (first ? [planWanted(first, options)] : []));

export interface Prepared {
  /** What has to be read, in one statement. */
  reads: StoredRead[];
  /** A reading for each question, in the order of the inquiries and of their questions. */
  readings(stored: readonly (readonly Unopened[])[]): Promise<Reading[][]>;
}

/** `rows` answer the plans of `plansFor`. */
export function prepare(inquiries: readonly Inquiry[], rows: readonly PlanRow[]): Prepared {
  const byPlan = Map.groupBy(rows, ({ plan }) => plan);
  const asking = inquiries.filter(({ questions }) => questions.length > 0);
  const plans = asking.flatMap((inquiry, index) => {
    const [first] = inquiry.questions;
    const own = byPlan.get(index) ?? [];
    // Until a collector has made the tables there is nothing.
    const isThere = own.some(({ part }) => part === 'table');
    return first ? [{ inquiry, batch: planned(first, inquiry, own), isThere }] : [];
  });
  const batches = plans.flatMap(({ batch, isThere }) => (isThere ? batchesOf(batch) : []));
  const { reads, places } = merged(readsOf(batches));
  return {
    reads,
    async readings(stored) {
      const found = new Map<Question, Answer>();
      for (const [index, batch] of batches.entries()) {
        const place = places[index] ?? -1;
        const read = reads[place];
        if (!read) continue;
        for (const [question, answer] of await foldBatch(batch, read, stored[place] ?? []))
          found.set(question, answer);
      }
      const answers = new Map(plans.map(({ inquiry, batch }) => [inquiry, readingsOf(batch, found)]));
      return inquiries.map((inquiry) => answers.get(inquiry) ?? []);
    },
  };
}
