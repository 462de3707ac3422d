// What EXPLAIN answered, and what the planner's own formula says an index would cost where none can be tried. Pure.

import { createHash } from 'node:crypto';
import { cutText } from '../../kernel/inert-text.ts';
import { isRecord } from '../../kernel/read-json.ts';
import type { Candidate } from './candidates.ts';
import { type Cells, cellsOf, numberOf, type TableFacts, textOf } from './types.ts';

export interface Plan {
  /** Of the planner, in its units. */
  readonly cost: number;
  /** What reading that table whole costs in it, by name. */
  readonly scans: ReadonlyMap<string, number>;
  /** Its nodes with the tables and indexes that they read, without anything that changes by itself. */
  readonly shape: string;
  /** What EXPLAIN (FORMAT JSON) answered, parsed. */
  readonly explained: Cells;
}

const DEEPEST = 100;
const LONGEST_NAME = 100;
const LONGEST_SHAPE = 1000;

function noteScans(node: Cells, scans: Map<string, number>, depth = 0): void {
  if (node['Node Type'] === 'Seq Scan') {
    const name = textOf(node['Relation Name']);
    scans.set(name, Math.max(scans.get(name) ?? 0, numberOf(node['Total Cost'])));
  }
  if (depth < DEEPEST) for (const one of cellsOf(node.Plans)) noteScans(one, scans, depth + 1);
}

const named = (word: string, name: unknown) =>
  textOf(name) === '' ? '' : ` ${word} ${cutText(textOf(name), LONGEST_NAME)}`;

function shapeOf(node: Cells, depth = 0): string {
  const kind = textOf(node['Node Type']);
  const own = `${kind}${named('on', node['Relation Name'])}${named('using', node['Index Name'])}`;
  const below = depth < DEEPEST ? cellsOf(node.Plans).map((one) => shapeOf(one, depth + 1)) : [];
  return below.length === 0 ? own : `${own} (${below.join('; ')})`;
}

/** Plans that are longer differ in what stands in for their ends. */
function cutShape(shape: string): string {
  if (shape.length <= LONGEST_SHAPE) return shape;
  const digest = createHash('sha256').update(shape).digest('hex').slice(0, 16);
  return `${cutText(shape, LONGEST_SHAPE)}… ${digest}`;
}

/** Of `explain (format json)`, parsed or as text; undefined for anything else. */
export function planOf(row: Cells | undefined): Plan | undefined {
  const answer = row?.['QUERY PLAN'];
  const parsed: unknown = typeof answer === 'string' ? JSON.parse(answer) : answer;
  const [explained] = cellsOf(parsed);
  const root = explained?.Plan;
  if (!isRecord(root)) return undefined;
  const scans = new Map<string, number>();
  noteScans(root, scans);
  return {
    cost: numberOf(root['Total Cost']),
    scans,
    shape: cutShape(shapeOf(root)),
    explained: explained ?? {},
  };
}

/** Settings of the server that the planner counts with. */
export interface CostSettings {
  readonly random_page_cost: number;
  readonly cpu_tuple_cost: number;
  readonly cpu_index_tuple_cost: number;
  readonly cpu_operator_cost: number;
}

const PAGE_BYTES = 8192;
/** Of an entry: its header, its line pointer and alignment. */
const ENTRY_BYTES = 16;
const FILL = 0.9;

/** What it will take on disk: as built, before it grows with writes. */
export function indexBytes({ columns }: Candidate, { rows }: TableFacts): number {
  const entry = ENTRY_BYTES + 8 * Math.ceil(columns.reduce((sum, { width }) => sum + width, 0) / 8);
  return Math.ceil((rows * entry) / (PAGE_BYTES * FILL)) * PAGE_BYTES;
}

/** Pages of the table that so many rows lie on, spread by chance: the formula of Mackert and Lohman, as the planner has it. */
const pagesFetched = (pages: number, rows: number): number =>
  Math.min(pages, Math.ceil((2 * pages * rows) / Math.max(1, 2 * pages + rows)));

/** A scan of the index as the planner would cost it, for rows that lie anywhere in the table. */
function scanCost(candidate: Candidate, table: TableFacts, by: CostSettings): number {
  const rows = Math.max(1, candidate.selected * table.rows);
  const indexPages = Math.max(1, Math.ceil((candidate.selected * indexBytes(candidate, table)) / PAGE_BYTES));
  const descent = (Math.ceil(Math.log2(Math.max(2, table.rows))) + 150) * by.cpu_operator_cost;
  const entries = rows * (by.cpu_index_tuple_cost + candidate.columns.length * by.cpu_operator_cost);
  const heap = pagesFetched(table.pages, rows) * by.random_page_cost;
  const filter = rows * (by.cpu_tuple_cost + candidate.columns.length * by.cpu_operator_cost);
  return descent + indexPages * by.random_page_cost + entries + heap + filter;
}

/** The plan with the scan of that table replaced; never dearer than it is. */
export function estimated(
  plan: Plan,
  candidate: Candidate,
  at: { table: TableFacts; by: CostSettings },
): number {
  const scan = plan.scans.get(at.table.name) ?? 0;
  return Math.min(plan.cost, plan.cost - scan + scanCost(candidate, at.table, at.by));
}
