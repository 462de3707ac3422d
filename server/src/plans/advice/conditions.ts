// Columns that a condition of a plan compares with a value, for indexes and statistics. Guards: what is not plainly `column operator value`
// is left out, and of a condition with OR nothing is taken.
import type { PlanNode } from '../types.ts';
import { quoted } from './types.ts';

const NAME = String.raw`(?:"(?:[^"]|"")*"|[a-z_][\w$]*)`;
/** A cast other than of varchar to text is an expression, which neither an index nor the statistics of the column know. */
const TERM = new RegExp(
  String.raw`^\(*(?:${NAME}\.)?(${NAME})(?:\)::text)? (=|<=|>=|<|>) (?:'|-?\d|\$\d|\?|ANY \()`,
);
/** Of each table, on which there can be no index of one's own. */
const SYSTEM_COLUMN = /^(?:tableoid|ctid|[cx]m(?:in|ax))$/;

export interface Compared {
  equal: string[];
  range: string[];
}

/** Two columns, of which EXPLAIN writes the table where it is another one than the node reads. */
const PAIR = new RegExp(
  String.raw`^\(*(?:(${NAME})\.)?(${NAME}) (=|<=|>=|<|>) (?:(${NAME})\.)?(${NAME})\)*$`,
);

/** The own column of a comparison with one of the row that the node is run for. */
function withOuter(part: string, { alias, relation }: PlanNode): (string | undefined)[] {
  const [, table, column, operator, otherTable, otherColumn] = PAIR.exec(part) ?? [];
  const isOwn = (name: string | undefined) => name === undefined || [alias, relation].includes(bare(name));
  if (isOwn(table) === isOwn(otherTable)) return [];
  return ['', isOwn(table) ? column : otherColumn, operator];
}

/** Undefined: none of it can be searched for by an index. With a node, what it is run for counts as a value. */
export function comparedIn(condition: string | null, node?: PlanNode): Compared | undefined {
  if (condition === null || / OR |\bCASE WHEN\b/.test(condition)) return undefined;
  const found: Compared = { equal: [], range: [] };
  for (const part of condition.split(/\) AND \(/)) {
    const [, column, operator] = TERM.exec(part) ?? (node === undefined ? [] : withOuter(part, node));
    if (column === undefined || SYSTEM_COLUMN.test(column)) continue;
    const list = operator === '=' ? found.equal : found.range;
    if (![...found.equal, ...found.range].includes(column)) list.push(column);
  }
  return found.equal.length + found.range.length === 0 ? undefined : found;
}

/** Columns of an index for these: those that are equal first, then one range. */
export const indexColumns = ({ equal, range }: Compared): string[] => [...equal, ...range.slice(0, 1)];

export const bare = (name: string) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);

export const listed = (columns: readonly string[]) => columns.map((name) => quoted(bare(name))).join(', ');

const EQUAL_COLUMNS = new RegExp(String.raw`^\(*${NAME}\.${NAME} = ${NAME}\.${NAME}\)*$`);

/** Whether rows are joined where columns of both sides are equal, and by nothing else. */
export const isEquality = (condition: string): boolean =>
  condition.split(/\) AND \(/).every((part) => EQUAL_COLUMNS.test(part));

export interface Kept {
  kept: number;
  removed: number;
  /** Of what was looked at, from 0 to 1. */
  share: number;
}

/** How much of what a node looked at was thrown away; undefined where the plan does not say. */
export function keptOf(node: PlanNode, removedPerLoop: number | null): Kept | undefined {
  if (node.total_rows === null || removedPerLoop === null || node.loops === null) return undefined;
  const removed = removedPerLoop * node.loops;
  const all = removed + node.total_rows;
  return all === 0 ? undefined : { kept: node.total_rows, removed, share: removed / all };
}
