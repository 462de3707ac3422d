// The reader of numbers: what every connection, database and group of entities measured in each bucket, from the coarsest
// tier that says what the samples would have said, packed hours and the raw head. Two statements: what there is
// (plan.queries.ts), and all of it (stored.queries.ts). Guards: a tier is taken only where it says the same as the samples.
import type { Db } from '../../kernel/db.ts';
import { least } from '../../kernel/lists.ts';
import type { Column } from '../../probes/types.ts';
import { isResetTime } from '../layout/table-layout.ts';
import type { Tier } from '../layout/tiers.ts';
import { foldSamples, foldTicks } from './fold.ts';
import { foldRollups } from './fold-rollups.ts';
import { type Entity, Groups } from './groups.ts';
import { Measures, type Window } from './measure.ts';
import { type PlanRow, readPlan } from './plan.queries.ts';
import { type Choice, choose, Plan, rawRanges, rolledRanges } from './plan.ts';
import { DATABASE, dimensionsOf, type Question } from './question.ts';
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

/** Column by column what a fold needs of samples: the value, what names an entity, and what tells a reset. */
function sampleColumns({ layout, column, ...question }: Question): Column[] {
  const named = new Set(dimensionsOf({ layout, column, ...question }));
  const keys = layout.keys;
  const labels = layout.labels.filter(({ name }) => named.has(name));
  return [column, ...keys, ...labels, ...layout.values.filter(isResetTime)].filter(
    (one, index, all) => all.indexOf(one) === index,
  );
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
  columns: readonly Column[];
  /** Group of an entity, by connection and id; undefined: the question needs no names. */
  named: ReadonlyMap<string, string> | undefined;
}

/** Group of an object, by its id alone where the question needs no names. */
function groupOfObject({ plan, groups, named }: Folding, { connection_id, database_name }: Stored) {
  const { group_by } = plan.question;
  if (named) return (id: number) => named.get(`${connection_id} ${id}`);
  if (group_by === 'each') return (id: number) => (id === 0 ? undefined : String(id));
  const all = groups.ofDatabase(database_name);
  return () => all;
}

function foldOne(folding: Folding, stored: Stored, window: Window): Measured {
  const { plan, choice, groups, columns } = folding;
  const { question } = plan;
  const { connection_id, database_name, samples, ticks, spans } = stored;
  const { from, to, buckets } = window;
  const measures = new Measures(buckets);
  const until = choice.until(connection_id, window);
  const { isCounter, combine, aggregate, layout } = question;
  const isObjects = layout.keeps === 'objects';
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
  };
  if (isObjects) foldTicks(measures, { ...fold, groupOf: ofObject }, ticks);
  else {
    const positions = (wanted: (one: Column) => boolean) =>
      columns.flatMap((one, index) => (wanted(one) ? [index] : []));
    const cells = { value: 0, keys: positions(({ kind }) => kind === 'key'), resets: positions(isResetTime) };
    foldSamples(
      measures,
      { ...fold, columns: cells, groupOf: groups.ofSamples(columns, database_name) },
      samples,
    );
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

/** `listAll`: also the entities of which nothing was said. */
export async function readMeasured(
  db: Db,
  question: Question,
  { windows, listAll = false }: { windows: readonly Window[]; listAll?: boolean },
): Promise<Reading> {
  const { layout, column, connection_ids, database_name, where, aggregate, isCounter } = question;
  const groups = new Groups(question);
  const isNamed = needsNames(question, listAll);
  const from = least(windows.map((window) => window.from));
  const objects = isNamed ? { where, from } : undefined;
  const plan = new Plan(
    question,
    await db.rows<PlanRow>(readPlan({ probe: layout.probe, connection_ids, objects })),
    isNamed,
  );
  const choice = choose(plan, groups, windows);
  const columns = layout.keeps === 'samples' ? sampleColumns(question) : [column];
  const { tier } = choice;
  const stored = await readStored(db, {
    layout,
    columns,
    database_name,
    ranges: rawRanges(plan, choice, windows),
    rolled: tier && {
      tier,
      column,
      isPacked: plan.isRolledInDays(tier),
      parts: isCounter ? ['sec'] : PARTS[aggregate],
      together: choice.mode === 'together',
      ranges: rolledRanges(plan, choice, windows),
    },
    isRaw: !plan.isPacked,
  });
  const isById = question.group_by === 'each' && layout.keeps === 'objects';
  const named =
    plan.entities &&
    new Map(
      plan.entities.map((one) => [
        `${one.connection_id} ${one.object_id}`,
        isById ? String(one.object_id) : groups.ofEntity(one),
      ]),
    );
  const folding: Folding = { plan, choice, groups, columns, named };
  return {
    windows: windows.map((window) => stored.map((one) => foldOne(folding, one, window))),
    groups,
    entities: plan.entities,
    tier: tier?.name ?? 'raw',
  };
}
