// A node of a plan from the group of keys that a reader made of it. Guards: a key that is not known is kept with the node and counted; what a
// plan does not say is null.
import { UsageError } from '../kernel/errors.ts';
import { bufferKeys, buffersOf } from './buffers.ts';
import { MOST_NODES } from './caps.ts';
import { EXTENSION_KEYS } from './extension-keys.ts';
import { flagAt, type Group, groupsAt, lineOf, numberAt, textAt, type Value } from './read/document.ts';
import { spillKeys, spillsOf } from './spills.ts';
import type { Condition, PlanNode } from './types.ts';

/** Names of keys, one behind the other. */
const listed = (names: string) => names.split('|').map((name) => name.trim());

const CONDITIONS = listed(
  'Index Cond|Recheck Cond|TID Cond|Hash Cond|Merge Cond|Join Filter|Order By|Filter|One-Time Filter|Run Condition|Conflict Filter',
);
const KEYS = ['Sort Key', 'Presorted Key', 'Group Key', 'Cache Key', 'Hash Key'];

/** Read into members of their own. */
const READ = new Set([
  ...listed(
    `Node Type|Plans|Parent Relationship|Subplan Name|Schema|Relation Name|Alias|Index Name|CTE Name
|Function Name|Table Function Name|Tuplestore Name|Join Type|Strategy|Partial Mode|Operation|Command
|Scan Direction|Parallel Aware|Startup Cost|Total Cost|Plan Rows|Plan Width|Actual Startup Time
|Actual Total Time|Actual Rows|Actual Loops|Grouping Sets|Heap Fetches|Sort Method|Exact Heap Blocks
|Lossy Heap Blocks|Workers Planned|Workers Launched|Custom Plan Provider|Rows Removed by Filter
|Rows Removed by Join Filter|Rows Removed by Index Recheck`,
  ),
  ...CONDITIONS,
  ...KEYS,
  ...bufferKeys,
]);

/** Known, and shown as they are written. */
const SHOWN = new Set([
  ...listed(
    `Async Capable|Output|Inner Unique|Single Copy|Disabled|Workers|Subplans Removed|Index Searches|Cache Mode
|Cache Hits|Cache Misses|Cache Evictions|Cache Overflows|Remote SQL|Relations|Full-sort Groups
|Pre-sorted Groups|Conflict Resolution|Conflict Arbiter Indexes|Tuples Inserted|Conflicting Tuples
|Rows Removed by Conflict Filter|Target Tables|Sampling Method|Sampling Parameters|Repeatable Seed
|Function Call|Table Function Call|Window|Replaces|Params Evaluated|Batch Size|JIT|Incremental Sort Groups
|Sampling|Sort Methods Used|Foreign File|Foreign File Size|Foreign Program|Merge Tuples|Tuples Updated|I/O
|Prefetch|Tuples Deleted|Tuples Skipped|WAL Records|WAL FPI|WAL FPI Bytes|WAL Bytes|WAL Buffers Full
|Average Prefetch Distance|Max Prefetch Distance|Prefetch Capacity|I/O Count|I/O Waits|Average I/O Size
|Average I/Os In Progress|I/O Read Time|I/O Write Time|Estimated Entries|Worker Number|Tuples|Constraint Name|Estimates|Estimated Capacity
|Estimated Distinct Lookup Keys|Estimated Lookups|Estimated Hit Percent|Shared I/O Read Time
|Shared I/O Write Time|Local I/O Read Time|Local I/O Write Time|Temp I/O Read Time|Temp I/O Write Time`,
  ),
  ...spillKeys,
]);

export interface Counted {
  nodes: number;
  unknown: number;
  names: Set<string>;
}

function conditionsOf(group: Group, names: readonly string[]): Condition[] {
  const conditions: Condition[] = [];
  for (const name of names) if (group.has(name)) conditions.push({ name, text: lineOf(group.get(name)) });
  return conditions;
}

const AGGREGATES: Readonly<Record<string, string>> = { Sorted: 'Group', Hashed: 'Hash', Mixed: 'Mixed' };

/** One grouping set: a list of columns, none, or a list of such lists. */
const setsOf = (value: Value | undefined): string[] => {
  if (!Array.isArray(value)) return value === '' ? ['()'] : [];
  if (value.some(Array.isArray)) return value.flatMap(setsOf);
  return [lineOf(value) || '()'];
};

/** Sets of grouping are a list in JSON and lines in the text, where they are written as here. */
function groupingOf(group: Group): Condition[] {
  const sets = groupsAt(group, 'Grouping Sets');
  return Object.entries({
    'Sort Key': 'Sort Key',
    'Group Key': 'Group Keys',
    'Hash Key': 'Hash Keys',
  }).flatMap(([name, key]) => {
    const own = sets.flatMap((set) => (set.has(key) ? setsOf(set.get(key)) : []));
    return own.length === 0 ? [] : [{ name, text: own.join('; ') }];
  });
}

/** As the text format begins the node. */
function titleOf(node: string, group: Group): string {
  const [strategy, join, partial] = [
    textAt(group, 'Strategy'),
    textAt(group, 'Join Type'),
    textAt(group, 'Partial Mode'),
  ];
  const before = flagAt(group, 'Parallel Aware')
    ? 'Parallel '
    : flagAt(group, 'Async Capable')
      ? 'Async '
      : '';
  if (node === 'Aggregate')
    return `${before}${partial && partial !== 'Simple' ? `${partial} ` : ''}${AGGREGATES[strategy ?? ''] ?? ''}Aggregate`;
  if (node === 'SetOp')
    return `${strategy === 'Hashed' ? 'Hash' : ''}SetOp ${textAt(group, 'Command') ?? ''}`.trim();
  if (node === 'ModifyTable') return textAt(group, 'Operation') ?? node;
  const foreign = textAt(group, 'Operation');
  if (node === 'Foreign Scan' && foreign !== null && foreign !== 'Select') return `Foreign ${foreign}`;
  const custom = textAt(group, 'Custom Plan Provider');
  if (node === 'Custom Scan' && custom !== null) return `Custom Scan (${custom})`;
  const back = textAt(group, 'Scan Direction') === 'Backward' ? ' Backward' : '';
  if (join === null || join === 'Inner') return `${before}${node}${back}`;
  return node === 'Nested Loop'
    ? `${before}${node} ${join} Join`
    : `${before}${node.replace(/ Join$/, '')} ${join} Join`;
}

/** What is left, as it was written; the unknown are counted. */
function detailsOf(group: Group, counted: Counted): Condition[] {
  const details: Condition[] = [];
  for (const [name, value] of group) {
    if (READ.has(name)) continue;
    if (!SHOWN.has(name) && !EXTENSION_KEYS.has(name)) {
      counted.unknown += name === 'Other Lines' && Array.isArray(value) ? value.length : 1;
      if (counted.names.size < 100) counted.names.add(name);
    }
    details.push({ name, text: lineOf(value) });
  }
  return details;
}

type Figures = Pick<
  PlanNode,
  'estimated_rows' | 'actual_rows' | 'loops' | 'never_executed' | 'total_rows' | 'inclusive_ms'
>;

/** Figures that no server writes are unknown. */
const finite = (value: number) => (Number.isFinite(value) ? value : null);
const countAt = (group: Group, key: string) => {
  const value = numberAt(group, key);
  return value === null || value < 0 ? null : value;
};

function figuresOf(group: Group): Figures {
  const loops = countAt(group, 'Actual Loops');
  const rows = countAt(group, 'Actual Rows');
  const ms = countAt(group, 'Actual Total Time');
  const isNever = loops === null ? null : loops === 0;
  return {
    estimated_rows: numberAt(group, 'Plan Rows'),
    actual_rows: isNever === true ? null : rows,
    loops,
    never_executed: isNever,
    total_rows:
      isNever === true ? 0 : rows === null || loops === null ? null : finite(Math.round(rows * loops)),
    inclusive_ms: ms === null || loops === null ? null : finite(ms * loops),
  };
}

/** `InitPlan 1 (returns $0)` keeps what it returns: its consumers name that. */
export function nodeOf(group: Group, counted: Counted): PlanNode {
  counted.nodes += 1;
  const id = counted.nodes;
  if (id > MOST_NODES) throw new UsageError(`The plan has more than ${MOST_NODES} nodes; give a part of it.`);
  const node = textAt(group, 'Node Type') ?? 'Unknown node';
  const text = (key: string) => textAt(group, key);
  const number = (key: string) => numberAt(group, key);
  return {
    id,
    node,
    title: titleOf(node, group),
    meaning: null,
    schema: text('Schema'),
    relation: text('Relation Name') ?? text('Tuplestore Name'),
    alias: text('Alias'),
    index: text('Index Name'),
    cte: text('CTE Name'),
    function: text('Function Name') ?? text('Table Function Name'),
    subplan: text('Subplan Name'),
    join_type: text('Join Type'),
    strategy: text('Strategy'),
    partial_mode: text('Partial Mode'),
    operation: text('Operation'),
    command: text('Command') ?? text('Custom Plan Provider'),
    backward: text('Scan Direction') === 'Backward',
    parallel: flagAt(group, 'Parallel Aware'),
    startup_cost: number('Startup Cost'),
    total_cost: number('Total Cost'),
    width: number('Plan Width'),
    ...figuresOf(group),
    own_ms: null,
    misestimate: null,
    conditions: conditionsOf(group, CONDITIONS),
    keys: [...conditionsOf(group, KEYS), ...groupingOf(group)],
    rows_removed_by_filter: number('Rows Removed by Filter'),
    rows_removed_by_join_filter: number('Rows Removed by Join Filter'),
    rows_removed_by_recheck: number('Rows Removed by Index Recheck'),
    sort_method: text('Sort Method'),
    spills: spillsOf(group),
    buffers: buffersOf(group),
    own_buffers: null,
    heap_fetches: number('Heap Fetches'),
    exact_heap_blocks: number('Exact Heap Blocks'),
    lossy_heap_blocks: number('Lossy Heap Blocks'),
    workers_planned: number('Workers Planned'),
    workers_launched: number('Workers Launched'),
    details: detailsOf(group, counted),
    advice: [],
    children: groupsAt(group, 'Plans').map((one) => nodeOf(one, counted)),
  };
}
