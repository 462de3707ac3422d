// What statements cost a table today and with an index that was tried or estimated, weighed against what the index costs. Pure. Guards: all of
// it was stored as JSON, so each value is read with a check.
import { type Cells, type Facts, type Item, objectsIn } from './facts.ts';

const LEAST_CALLS = 100;
/** Of all time that the statements of the database took. */
export const LEAST_SHARE = 0.05;
/** A statement gains when no more than that part of its cost is left. */
const LEFT_AT_MOST = 0.5;
/** An estimate counts for statements that really read so much of the table each time. */
const LEAST_PART_READ = 0.5;
/** What entering a row into one more index costs, in units of the planner: about one page at a random place. */
export const COST_PER_WRITE = 4;
/** It saves so many times what it costs. */
const LEAST_GAIN = 2;
/** A value that so many of the rows have is read whole all the same. */
const COMMON_PERCENT = 30;

export const number = (cells: Cells, name: string): number => {
  const value = cells[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};
export const text = (cells: Cells, name: string): string => {
  const value = cells[name];
  return typeof value === 'string' ? value : '';
};
const texts = (cells: Cells, name: string): string[] => {
  const value = cells[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

export interface Table {
  item: Item;
  /** Ours. */
  role: string;
  statements: readonly Cells[];
  candidates: readonly Cells[];
  /** Of the time of all statements of its database. */
  all_ms: number;
}

export interface Gain {
  statement: Cells;
  before: number;
  after: number;
}

function gainsOf(candidate: Cells, { item, statements }: Table): Gain[] {
  const is_tried = candidate.is_tried === true;
  const pages = item.number('page_count') ?? 0;
  return objectsIn(candidate.after).flatMap((after) => {
    const statement = statements.find((one) => text(one, 'queryid') === text(after, 'queryid'));
    if (!statement) return [];
    const gain = { statement, before: number(statement, 'cost'), after: number(after, 'cost') };
    if (gain.after > LEFT_AT_MOST * gain.before) return [];
    const blocks = number(statement, 'blocks') / Math.max(1, number(statement, 'calls'));
    return is_tried || blocks >= LEAST_PART_READ * pages ? [gain] : [];
  });
}

const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);
const callsOf = ({ statement }: Gain) => number(statement, 'calls');

/** Rows that it would have had to enter while these statements were counted. */
function writesOf(facts: Facts, item: Item, since: number): number {
  const [inserted, updated, hot] = ['n_tup_ins', 'n_tup_upd', 'n_tup_hot_upd'].map(
    (one) => item.number(one) ?? 0,
  );
  const writes = (inserted ?? 0) + (updated ?? 0) - (hot ?? 0);
  const counted = facts.countedSince(item.database_name) ?? since;
  const [own, tables] = [facts.now - since, facts.now - counted];
  return tables > 0 ? writes * Math.min(1, own / tables) : writes;
}

/** Blocks that a call reads, of the statements on the table that name the column. */
export function blocksPerCall(statements: readonly Cells[], column: string): number | null {
  const own = statements.filter((one) => texts(one, 'columns').includes(column));
  const calls = sum(own.map((one) => number(one, 'calls')));
  return calls === 0 ? null : sum(own.map((one) => number(one, 'blocks'))) / calls;
}

/** Since when the statements of the database are counted; null: unknown. */
export function sinceOf(facts: Facts, database_name: string): number | null {
  const own = facts.rows('pg_stat_statements').filter((item) => item.database_name === database_name);
  return own.find((item) => item.time('stats_reset') !== null)?.time('stats_reset') ?? null;
}

export function tablesOf(facts: Facts): Table[] {
  const all = Map.groupBy(facts.rows('pg_costly_statements'), ({ database_name }) => database_name);
  return facts.rows('pg_index_advice').flatMap((item) => {
    const advice = item.object('advice');
    if (!advice) return [];
    const own = all.get(item.database_name) ?? [];
    return [
      {
        item,
        role: text(advice, 'role'),
        statements: objectsIn(advice.statements),
        candidates: objectsIn(advice.candidates),
        all_ms: sum(own.map((one) => one.number('total_exec_time') ?? 0)),
      },
    ];
  });
}

/** What is known of a candidate, weighed. */
export interface Weighed {
  candidate: Cells;
  columns: readonly string[];
  gains: readonly Gain[];
  calls: number;
  /** Of the time of the database, from 0 to 1. */
  share: number;
  /** Of the whole workload of the table, in units of the planner. */
  before: number;
  after: number;
  writes: number;
  is_tried: boolean;
}

/** Undefined: it is not worth its while. */
export function weighed(facts: Facts, table: Table, candidate: Cells): Weighed | undefined {
  const { item, statements, all_ms } = table;
  const gains = gainsOf(candidate, table);
  const since = sinceOf(facts, item.database_name);
  if (gains.length === 0 || since === null) return undefined;
  const calls = sum(gains.map(callsOf));
  const share = sum(gains.map(({ statement }) => number(statement, 'time_ms'))) / Math.max(1, all_ms);
  if (calls < LEAST_CALLS || share < LEAST_SHARE) return undefined;
  if (number(candidate, 'top_percent') > COMMON_PERCENT) return undefined;
  const before = sum(statements.map((one) => number(one, 'calls') * number(one, 'cost')));
  const saved = sum(gains.map((gain) => callsOf(gain) * (gain.before - gain.after)));
  const writes = writesOf(facts, item, since);
  if (saved < LEAST_GAIN * writes * COST_PER_WRITE) return undefined;
  const columns = texts(candidate, 'columns');
  const is_tried = candidate.is_tried === true;
  return { candidate, columns, gains, calls, share, before, after: before - saved, writes, is_tried };
}
