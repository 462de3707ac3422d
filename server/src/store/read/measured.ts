// The reader of numbers: what every connection, database and group of entities measured in each bucket, from the coarsest
// tier that says what the samples would have said, packed hours and the raw head. Two statements for as many columns of a
// probe as are asked: what there is (plan.queries.ts), and all of it (stored.queries.ts); one more where only the samples
// of some of them will do. Guards: a tier is taken only where it says the same as the samples.
import type { Db } from '../../kernel/db.ts';
import { least } from '../../kernel/lists.ts';
import type { Column } from '../../probes/types.ts';
import type { SampleRow } from '../format/rows.ts';
import { isResetTime } from '../layout/table-layout.ts';
import type { Tier } from '../layout/tiers.ts';
import { type FoldOptions, foldSamples, foldTicks, type SampleColumns } from './fold.ts';
import { foldRollups } from './fold-rollups.ts';
import { type Entity, Groups } from './groups.ts';
import { Measures, type Window } from './measure.ts';
import { type PlanRow, readPlan } from './plan.queries.ts';
import { type Choice, choose, onlySamples, Plan, rawRanges, rolledRanges } from './plan.ts';
import { DATABASE, dimensionsOf, type Question } from './question.ts';
import type { RolledColumnRead } from './stored.queries.ts';
import { readStored, type Stored } from './stored.ts';

/** Of one database of a connection. */
export interface Measured {
  readonly connection_id: number;
  readonly database_name: string;
  readonly measures: Measures;
}

export interface Reading {
  /** By window, in the order asked. */
  readonly windows: readonly (readonly Measured[])[];
  readonly groups: Groups;
  /** Those the question named, where it had to know them. */
  readonly entities: readonly Entity[] | undefined;
  readonly tier: 'raw' | Tier['name'];
}

/** What a fold needs of samples: values, what names an entity, and what tells a reset. */
function sampleColumns(questions: readonly Question[]): Column[] {
  const [first] = questions;
  if (!first) return [];
  const { layout } = first;
  const named = new Set(dimensionsOf(first));
  const labels = layout.labels.filter(({ name }) => named.has(name));
  const values = questions.flatMap(({ column, made }) => made?.needs ?? [column]);
  return [...new Set([...values, ...layout.keys, ...labels, ...layout.values.filter(isResetTime)])];
}

const PARTS = {
  avg: ['sec'],
  rate: ['sec'],
  min: ['sec', 'min'],
  max: ['sec', 'max'],
  last: ['sec', 'last'],
  sum: ['sec', 'sum'],
};

interface Folding {
  plan: Plan;
  choice: Choice;
  groups: Groups;
  /** Of samples and ticks, in the order they were read. */
  columns: readonly Column[];
  /** Of spans. */
  rolled: readonly Column[];
  /** Group of an entity, by connection, then by id; undefined: the question needs no names. */
  named: ReadonlyMap<number, ReadonlyMap<number, string>> | undefined;
  heard: Heard | undefined;
}

/** Told of each sample that counts, see FoldOptions. */
export type Heard = (
  question: Question,
  of: { connection_id: number; database_name: string; group: string; at: number },
  said: { value: number; seconds: number },
) => void;

/** Group of an object, by its id alone where the question needs no names. */
function groupOfObject({ plan, groups, named }: Folding, { connection_id, database_name }: Stored) {
  const { group_by } = plan.question;
  if (named) {
    const own = named.get(connection_id);
    return (id: number) => own?.get(id);
  }
  if (group_by === 'each') return (id: number) => (id === 0 ? undefined : String(id));
  const all = groups.ofDatabase(database_name);
  return () => all;
}

function cellsOf({ column, made }: Question, columns: readonly Column[]): SampleColumns {
  const positions = (wanted: (one: Column) => boolean) =>
    columns.flatMap((one, index) => (wanted(one) ? [index] : []));
  const needs = made?.needs.map((one) => columns.indexOf(one)) ?? [];
  return {
    value: columns.indexOf(column),
    made:
      made &&
      (({ cells, at }: SampleRow) =>
        made.valueOf(
          needs.map((index) => cells[index] ?? null),
          at,
        )),
    keys: positions(({ kind }) => kind === 'key'),
    resets: positions(isResetTime),
  };
}

const hearing =
  ({ plan, heard }: Folding, { connection_id, database_name }: Stored): FoldOptions['heard'] =>
  (group, at, said) =>
    heard?.(plan.question, { connection_id, database_name, group, at }, said);

function foldOne(folding: Folding, stored: Stored, window: Window): Measured {
  const { plan, choice, groups } = folding;
  const { question } = plan;
  const { connection_id, database_name, samples, ticks, spans } = stored;
  const { from, to, buckets } = window;
  const measures = new Measures(buckets);
  const until = choice.until(connection_id, window);
  const { isCounter, combine, aggregate, layout } = question;
  const isObjects = layout.keeps === 'objects';
  const { columns } = folding;
  const ofObject = groupOfObject(folding, stored);
  if (choice.tier) {
    const all = groups.ofDatabase(database_name);
    const isEach = choice.mode === 'entities';
    foldRollups(
      measures,
      {
        from,
        to,
        buckets,
        until,
        spanMs: choice.tier.seconds * 1000,
        isCounter,
        isObjects,
        aggregate,
        position: folding.rolled.indexOf(question.column),
        groupOf: (id) => (isEach ? (id === 0 ? undefined : ofObject(id)) : id === 0 ? all : undefined),
      },
      spans,
    );
  }
  if (until >= to) return { connection_id, database_name, measures };
  const fold = {
    grid: { from: from * 1000, to: to * 1000, width: ((to - from) * 1000) / buckets },
    clip: until * 1000,
    combine,
    isCounter,
    intervalAt: (at: number) => plan.at(connection_id, at),
    isSteady: plan.isSteady(connection_id),
    heard: folding.heard && hearing(folding, stored),
  };
  if (isObjects)
    foldTicks(measures, { ...fold, groupOf: ofObject, position: columns.indexOf(question.column) }, ticks);
  else {
    const groupOf = groups.ofSamples(columns, database_name);
    foldSamples(measures, { ...fold, columns: cellsOf(question, columns), groupOf }, samples);
  }
  return { connection_id, database_name, measures };
}

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
  /** Samples alone, no rollups; tells of each of them. */
  heard?: Heard;
}

/** Questions that are answered from the same rows. */
interface Batch {
  asked: { plan: Plan; choice: Choice }[];
}

const tierOf = ({ choice }: { choice: Choice }) => choice.tier;

/** Those that rollups answer, and those that only samples do. */
function batchesOf(asked: readonly { plan: Plan; choice: Choice }[]): Batch[] {
  const [rolled, raw] = [asked.filter(tierOf), asked.filter((one) => !tierOf(one))];
  return [rolled, raw].filter((own) => own.length > 0).map((own) => ({ asked: own }));
}

/** Each column once, with the parts that any question needs. */
function rolledColumns(questions: readonly Question[]): RolledColumnRead[] {
  const parts = new Map<Column, Set<string>>();
  for (const { column, isCounter, aggregate } of questions) {
    const own = parts.get(column) ?? new Set();
    for (const part of isCounter ? ['sec'] : PARTS[aggregate]) own.add(part);
    parts.set(column, own);
  }
  return [...parts].map(([column, own]) => ({ column, parts: [...own] }));
}

async function readBatch(
  db: Db,
  { asked }: Batch,
  of: { windows: readonly Window[]; groups: Groups; heard: Heard | undefined },
): Promise<Map<Question, Omit<Reading, 'entities' | 'groups'>>> {
  const { windows, groups, heard } = of;
  const [first] = asked;
  if (!first) return new Map();
  const { plan, choice } = first;
  const questions = asked.map((one) => one.plan.question);
  const { layout, database_name, group_by } = plan.question;
  const columns =
    layout.keeps === 'samples'
      ? sampleColumns(questions)
      : [...new Set(questions.map(({ column }) => column))];
  const { tier } = choice;
  const rolled = rolledColumns(questions);
  const stored = await readStored(db, {
    layout,
    columns,
    database_name,
    ranges: rawRanges(plan, choice, windows),
    rolled: tier && {
      tier,
      columns: rolled,
      isPacked: plan.isRolledInDays(tier),
      together: asked.every((one) => one.choice.mode === 'together'),
      ranges: rolledRanges(plan, choice, windows),
    },
    isRaw: !plan.isPacked,
  });
  const isById = group_by === 'each' && layout.keeps === 'objects';
  const groupOf = (one: Entity) => (isById ? String(one.object_id) : groups.ofEntity(one));
  const named =
    plan.entities &&
    new Map(
      [...Map.groupBy(plan.entities, ({ connection_id }) => connection_id)].map(([id, own]) => [
        id,
        new Map(own.map((one) => [one.object_id, groupOf(one)])),
      ]),
    );
  const common = { groups, columns, rolled: rolled.map(({ column }) => column), named, heard };
  return new Map(
    asked.map((one) => {
      const folding: Folding = { ...common, ...one };
      const measured = windows.map((window) => stored.map((own) => foldOne(folding, own, window)));
      return [one.plan.question, { windows: measured, tier: tier?.name ?? 'raw' }];
    }),
  );
}

/** Of questions about the same probe, connections, entities and groups: a reading for each, in their order. */
export async function readAllMeasured(
  db: Db,
  questions: readonly Question[],
  { windows, listAll = false, heard }: MeasuredOptions,
): Promise<Reading[]> {
  const [first] = questions;
  if (!first) return [];
  const groups = new Groups(first);
  const isNamed = needsNames(first, listAll);
  const from = least(windows.map((window) => window.from));
  const { layout, connection_ids, where } = first;
  const objects = isNamed ? { where, from } : undefined;
  const rows = await db.rows<PlanRow>(
    readPlan({ probe: layout.probe, table: layout.table.name, connection_ids, objects }),
  );
  const asked = questions.map((question) => {
    const plan = new Plan(question, rows, isNamed);
    return { plan, choice: heard ? onlySamples : choose(plan, groups, windows) };
  });
  const found = new Map<Question, Omit<Reading, 'entities' | 'groups'>>();
  // Until a collector has made the tables there is nothing.
  const isThere = rows.some(({ part }) => part === 'table');
  for (const batch of isThere ? batchesOf(asked) : [])
    for (const [question, one] of await readBatch(db, batch, { windows, groups, heard }))
      found.set(question, one);
  return asked.map(({ plan }) => {
    const none = { windows: windows.map(() => []), tier: 'raw' } as const;
    return { ...(found.get(plan.question) ?? none), groups, entities: plan.entities };
  });
}

export async function readMeasured(db: Db, question: Question, options: MeasuredOptions): Promise<Reading> {
  const [reading] = await readAllMeasured(db, [question], options);
  if (!reading) throw new Error('a question has a reading');
  return reading;
}
