// What was read of a family of rows, folded into what each question measured. Pure. Guards: rollups tell until they end and
// the samples of what is newer, so that nothing counts twice.
import type { Column } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import type { SampleRow } from '../format/rows.ts';
import { isResetTime } from '../layout/table-layout.ts';
import { type FoldOptions, foldSamples, type SampleColumns } from './fold.ts';
import { foldRollups } from './fold-rollups.ts';
import { foldTicks } from './fold-ticks.ts';
import type { Groups } from './groups.ts';
import { Members, Numbered } from './increase-sums.ts';
import { Measures, type Window } from './measure.ts';
import type { Choice, Mode, Plan } from './plan.ts';
import { dimensionsOf, type Question } from './question.ts';
import type { Stored } from './stored.ts';

/** Of one database of a connection. */
export interface MeasuredDatabase {
  readonly connection_id: number;
  readonly database_name: string;
  readonly measures: Measures;
}

/** What a fold needs of samples: values, what names an entity, and what tells a reset. */
export function sampleColumns(questions: readonly Question[]): Column[] {
  const [first] = questions;
  if (!first) return [];
  const { layout } = first;
  const named = new Set(dimensionsOf(first));
  const labels = layout.labels.filter(({ name }) => named.has(name));
  const values = questions.flatMap(({ column, made }) => made?.needs ?? [column]);
  return [...new Set([...values, ...layout.keys, ...labels, ...layout.values.filter(isResetTime)])];
}

/** Objects of a connection, with their groups. */
export interface EntityNames {
  readonly groups: ReadonlyMap<number, string>;
  /** Undefined: all there are, so that there is nothing to be left out. */
  readonly ids: ReadonlySet<number> | undefined;
}

/** The one that stands for all entities. */
const ALL_TOGETHER: ReadonlySet<number> = new Set([0]);
const NOBODY: EntityNames = { groups: new Map(), ids: new Set() };

export interface Folding {
  plan: Plan;
  choice: Choice;
  groups: Groups;
  /** Of samples and ticks, in the order they were read. */
  columns: readonly Column[];
  /** Of spans. */
  rolled: readonly Column[];
  /** Group of an entity, by connection, then by id; undefined: the question needs no names. */
  named: ReadonlyMap<number, EntityNames> | undefined;
  heard: SampleListener | undefined;
  isHeardOnly: boolean;
  /** Where the columns of samples stand; undefined: they are of ticks. */
  cells: SampleColumns | undefined;
  /** Of each database of a connection: what its questions have in common. */
  memberships: WeakMap<Stored, Memberships>;
}

/** Groups of the entities of a database, looked up once for all questions and windows. */
interface Memberships {
  readonly ofTicks: Members;
  /** By how rollups serve. */
  readonly ofSpans: Readonly<Record<Mode, Members>>;
}

/** Told of each sample that counts, see FoldOptions. */
export type SampleListener = (
  question: Question,
  of: { connection_id: number; database_name: string; group: string; at: number },
  said: { value: number; seconds: number },
) => void;

/** Group of an object, by its id alone where the question needs no names. */
function groupOfObject({ plan, groups, named }: Folding, { connection_id, database_name }: Stored) {
  const { group_by } = plan.question;
  if (named) {
    const { groups: own } = named.get(connection_id) ?? NOBODY;
    return (id: number) => own.get(id);
  }
  if (group_by === 'each') return (id: number) => (id === 0 ? undefined : String(id));
  const all = groups.ofDatabase(database_name);
  return () => all;
}

export function cellsOf({ column, made }: Question, columns: readonly Column[]): SampleColumns {
  const positions = (wanted: (one: Column) => boolean) =>
    columns.flatMap((one, index) => (wanted(one) ? [index] : []));
  const needs = made?.needs.map((one) => columns.indexOf(one)) ?? [];
  // One list for all rows: nobody keeps it, and there may be half a million of them.
  const needed: Cell[] = needs.map(() => null);
  return {
    value: columns.indexOf(column),
    made:
      made &&
      (({ cells, at }: SampleRow) => {
        for (let place = 0; place < needs.length; place += 1)
          needed[place] = cells[needs[place] ?? -1] ?? null;
        return made.valueOf(needed, at);
      }),
    keys: positions(({ kind }) => kind === 'key'),
    resets: positions(isResetTime),
  };
}

const hearing =
  ({ plan, heard }: Folding, { connection_id, database_name }: Stored): FoldOptions['heard'] =>
  (group, at, said) =>
    heard?.(plan.question, { connection_id, database_name, group, at }, said);

function membershipsOf(folding: Folding, stored: Stored): Memberships {
  const known = folding.memberships.get(stored);
  if (known) return known;
  const { groups, named } = folding;
  const numbered = new Numbered();
  const ofObject = groupOfObject(folding, stored);
  const wanted = named && (named.get(stored.connection_id) ?? NOBODY).ids;
  const all = groups.ofDatabase(stored.database_name);
  // In spans 0 stands for all entities together.
  const made = {
    ofTicks: new Members(numbered, wanted, ofObject),
    ofSpans: {
      entities: new Members(numbered, wanted, (id) => (id === 0 ? undefined : ofObject(id))),
      together: new Members(numbered, ALL_TOGETHER, (id) => (id === 0 ? all : undefined)),
    },
  };
  folding.memberships.set(stored, made);
  return made;
}

export function foldOne(folding: Folding, stored: Stored, window: Window): MeasuredDatabase {
  const { plan, choice, groups } = folding;
  const { question } = plan;
  const { connection_id, database_name, samples, ticks, spans } = stored;
  const { from, to, buckets } = window;
  const measures = new Measures(buckets);
  const until = choice.until(connection_id, window);
  const { isCounter, combine, aggregate, layout } = question;
  const isObjects = layout.keeps === 'objects';
  const { columns } = folding;
  const { ofTicks, ofSpans } = membershipsOf(folding, stored);
  if (choice.tier) {
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
        members: ofSpans[choice.mode ?? 'together'],
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
    isHeardOnly: folding.isHeardOnly,
  };
  if (isObjects)
    foldTicks(measures, { ...fold, position: columns.indexOf(question.column), members: ofTicks }, ticks);
  else if (folding.cells) {
    const groupOf = groups.ofSamples(columns, database_name);
    foldSamples(measures, { ...fold, columns: folding.cells, groupOf }, samples);
  }
  return { connection_id, database_name, measures };
}
