// What each kind of node of PostgreSQL 14 to 18 does, in one sentence: the only place. A kit test insists that every kind which its servers
// print is here.
import type { PlanNode } from './types.ts';

const KINDS: Readonly<Record<string, string>> = {
  'Seq Scan': 'Reads every row of the table and keeps those that match the filter.',
  'Sample Scan': 'Reads a random sample of the table.',
  'Index Scan': 'Looks up entries in the index and reads their rows from the table.',
  'Index Only Scan':
    'Answers from the index alone; rows on pages not marked all-visible are looked up in the table.',
  'Bitmap Heap Scan': 'Reads the table pages that a bitmap names, in the order they have on disk.',
  'Bitmap Index Scan': 'Collects the places of all matching rows from an index into a bitmap.',
  BitmapAnd: 'Keeps the places that are in all of its bitmaps.',
  BitmapOr: 'Merges bitmaps: keeps the places that are in any of them.',
  'Tid Scan': 'Reads rows by their physical place (ctid).',
  'Tid Range Scan': 'Reads the rows within a range of physical places (ctid).',
  'Subquery Scan': 'Passes on the rows of a subquery, filtered or with other columns.',
  'Function Scan': 'Runs a function and reads the rows that it returns.',
  'Table Function Scan': 'Turns XML or JSON into rows.',
  'Values Scan': 'Reads the rows of a VALUES list.',
  'CTE Scan': 'Reads the stored rows of a CTE; the first reader makes them.',
  'Named Tuplestore Scan': 'Reads the rows that a statement changed, within a trigger.',
  'WorkTable Scan': 'Reads the rows of the previous round of a recursive CTE.',
  'Foreign Scan': 'Has another server, or a file, read by a foreign data wrapper.',
  'Custom Scan': 'Is done by an extension.',
  'Nested Loop': 'Runs its second input once for each row of its first.',
  'Merge Join': 'Joins two inputs that are both sorted by the join key, side by side.',
  'Hash Join': 'Looks up each row of its first input in a hash table made of the second.',
  Hash: 'Builds the hash table for a hash join from its rows.',
  Materialize: 'Keeps rows in memory, so that they can be read again.',
  Memoize: 'Keeps the results of lookups by their key, so that the same key is looked up once.',
  Sort: 'Sorts all rows before it passes on the first.',
  'Incremental Sort': 'Sorts groups of rows that are already in order by the first keys.',
  Group: 'Merges equal rows of sorted input.',
  Aggregate: 'Computes aggregates such as count and sum.',
  WindowAgg: 'Computes window functions over sorted rows.',
  Unique: 'Drops duplicates from sorted input.',
  SetOp: 'Computes INTERSECT or EXCEPT of its inputs.',
  LockRows: 'Locks each row for the FOR UPDATE or FOR SHARE of the statement.',
  Limit: 'Stops after so many rows; its input is not read to the end.',
  ModifyTable: 'Writes rows: inserts, updates, deletes or merges them.',
  Append: 'Reads its inputs one after the other, such as the partitions of a table.',
  'Merge Append': 'Merges sorted inputs into one sorted output.',
  'Recursive Union': 'Repeats a recursive CTE until a round gives no new rows.',
  Result: 'Computes values without reading a table, or checks a condition once.',
  ProjectSet: 'Runs functions that return several rows for each row.',
  Gather: 'Collects the rows of parallel workers in any order.',
  'Gather Merge': 'Collects the sorted rows of parallel workers in order.',
};

const AGGREGATES: Readonly<Record<string, string>> = {
  Sorted: 'Computes aggregates of each group from sorted rows.',
  Hashed: 'Computes aggregates of each group in a hash table of groups.',
  Mixed: 'Computes several grouping sets, some by sorting and some in hash tables.',
  Plain: 'Computes aggregates over all rows.',
};

const JOINS: Readonly<Record<string, string>> = {
  Left: 'Rows of the first input without a match are kept.',
  Right: 'Rows of the second input without a match are kept.',
  Full: 'Rows of both inputs without a match are kept.',
  Semi: 'Only whether there is a match counts (EXISTS, IN).',
  Anti: 'Only rows without a match are kept (NOT EXISTS).',
  'Right Semi': 'Rows of the second input with a match are kept once.',
  'Right Anti': 'Rows of the second input without a match are kept.',
};

/** Null for a kind that no version we know has. */
export function meaningOf({ node, strategy, join_type, parallel }: PlanNode): string | null {
  const kind =
    (node === 'Aggregate' && AGGREGATES[strategy ?? '']) || (Object.hasOwn(KINDS, node) ? KINDS[node] : null);
  if (kind === null || kind === undefined) return null;
  const join = join_type === null ? undefined : JOINS[join_type];
  return [kind, join, parallel ? 'Several processes share the work.' : undefined].filter(Boolean).join(' ');
}
