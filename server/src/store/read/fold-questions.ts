// What was read of a family of rows, folded into what each question measured. Pure. Guards: rollups tell until they end and
// the samples of what is newer, so that nothing counts twice; of a family of objects what stands in no tick
// did not grow, and what is known of levels begins with a whole keyframe. See fold.ts for how time is counted.

import { SECOND_MS } from '../../kernel/units.ts';
import { combined } from '../../probes/metrics.ts';
import type { Column } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import type { SampleRow, TickRow } from '../format/rows.ts';
import { isResetTime } from '../layout/table-layout.ts';
import type { Span } from '../rollup/buckets.ts';
import {
  type FoldOptions,
  foldSamples,
  hear,
  increase,
  level,
  numberOf,
  type SampleColumns,
} from './fold.ts';
import { foldRollups } from './fold-rollups.ts';
import { eachWanted, Members, Numbered } from './increase-sums.ts';
import { Measures, type Window } from './measure.ts';
import type { Choice, Mode, Plan } from './plan.ts';
import { dimensionsOf, type Groups, type Question } from './question.ts';
import type { Stored } from './stored.ts';
import type { DatabaseOf } from './stored-read.ts';

/** Of one database of a connection. */
export interface MeasuredDatabase extends DatabaseOf {
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
        added: plan.added(connection_id),
        intervalMs: plan.at(connection_id, plan.added(connection_id) * 1000) * SECOND_MS,
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
    added: plan.added(connection_id) * 1000,
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

export interface TickFold extends FoldOptions {
  /** Which of a tick's columns. */
  readonly position: number;
  readonly members: Members;
}

function hearGain(fold: TickFold, tick: TickRow, span: Span): void {
  const values = tick.columns[fold.position];
  const totals = new Map<string, number>();
  eachWanted(tick.ids, fold.members.wanted, (id, index) => {
    const value = numberOf(values?.[index]) ?? 0;
    const group = fold.members.groupOf(id);
    if (group !== undefined) totals.set(group, (totals.get(group) ?? 0) + value);
  });
  for (const [group, total] of totals) hear(fold, { group, span, gain: total });
  // Where no single object is asked for, nothing grew.
  const all = fold.members.groupOf(0);
  if (all !== undefined && !totals.has(all)) hear(fold, { group: all, span, gain: 0 });
}

function gain(into: Measures, fold: TickFold, tick: TickRow): void {
  if (tick.keyframe || tick.since === null) return;
  const span = { since: tick.since, at: tick.at };
  const values = tick.columns[fold.position];
  // Nobody knows the column.
  if (values && values.length === 0) return;
  if (fold.heard) hearGain(fold, tick, span);
  const gains = into.gainsOf(fold.members.numbered);
  const places = fold.members.in(tick.ids);
  const valueAt = (position: number) => {
    const cell = values?.[position] ?? 0;
    return typeof cell === 'number' ? cell : Number(cell);
  };
  increase(fold, span, (bucket, seconds, share) => {
    into.family[bucket] = (into.family[bucket] ?? 0) + seconds;
    gains.add(places, valueAt, { bucket, share });
  });
}

/** Gauges of the objects of one group as they stand. */
type CurrentValues = Map<number, number | null>;

function apply(groups: Map<string, CurrentValues>, fold: TickFold, tick: TickRow): void {
  const put = (id: number, value: number | null, isKnown = true) => {
    const group = fold.members.groupOf(id);
    if (group === undefined) return;
    const own = groups.get(group);
    if (own) {
      if (isKnown || own.has(id)) own.set(id, value);
    } else if (isKnown) groups.set(group, new Map([[id, value]]));
  };
  if (tick.whole) for (const own of groups.values()) for (const id of own.keys()) own.set(id, null);
  const cells = tick.columns[fold.position];
  eachWanted(tick.ids, fold.members.wanted, (id, index) => put(id, numberOf(cells?.[index])));
  if (tick.gone) eachWanted(tick.gone, fold.members.wanted, (id) => put(id, null, false));
}

/** Ticks of one database of a connection, in order of time, from a whole keyframe before the window on. */
function foldTicks(into: Measures, fold: TickFold, rows: readonly TickRow[]): void {
  const groups = new Map<string, CurrentValues>();
  let isKnown = false;
  let before: number | undefined;
  for (const [index, tick] of rows.entries()) {
    if (fold.isCounter) {
      gain(into, fold, tick);
      continue;
    }
    isKnown ||= tick.whole;
    if (!isKnown) continue;
    apply(groups, fold, tick);
    if (rows[index + 1]?.at === tick.at) continue;
    const last = before;
    before = tick.at;
    if (tick.at <= fold.clip) continue;
    // What rollups told of and no keyframe has was dropped.
    for (const group of into.groups.keys())
      if (!groups.has(group)) level(into, fold, { group, at: tick.at, before: last, value: null });
    for (const [group, own] of groups)
      level(into, fold, {
        group,
        at: tick.at,
        before: last,
        value: combined(fold.combine, own.values()),
      });
  }
}
