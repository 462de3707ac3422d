// A query plan as it was read: the tree, its figures, and what is said of it. Members are named as they are printed (`matriarch plan
// --json`). Guards: null is unknown, such as every time of a plan that was not run, and never 0.

/** Pages of 8 kB. */
export interface Buffers {
  shared_hit: number;
  shared_read: number;
  shared_dirtied: number;
  shared_written: number;
  local_hit: number;
  local_read: number;
  local_dirtied: number;
  local_written: number;
  temp_read: number;
  temp_written: number;
}

export interface Condition {
  /** As EXPLAIN names it, such as `Filter`. */
  name: string;
  text: string;
}

export interface Spill {
  /** What did not fit into memory. */
  what: 'sort' | 'hash' | 'aggregate' | 'storage';
  /** On disk; null: the plan does not say. */
  disk_kb: number | null;
  memory_kb: number | null;
  batches: number | null;
}

export interface Misestimate {
  /** Of each loop. */
  actual_rows: number;
  estimated_rows: number;
  /** From 1: as estimated. */
  factor: number;
  /** What there was, held against the estimate. */
  direction: 'more' | 'fewer';
}

export interface PlanNode {
  /** From 1, in the order of the plan. */
  id: number;
  /** As the JSON format names it. */
  node: string;
  /** As the text format names it, without what it reads: `Parallel Hash Left Join`. */
  title: string;
  /** What a node of its kind does, in a sentence; null for an unknown kind. */
  meaning: string | null;
  schema: string | null;
  relation: string | null;
  alias: string | null;
  index: string | null;
  cte: string | null;
  function: string | null;
  /** `InitPlan 1`, `SubPlan 2` or `CTE recent`, where it is the top of one. */
  subplan: string | null;
  join_type: string | null;
  strategy: string | null;
  partial_mode: string | null;
  operation: string | null;
  command: string | null;
  backward: boolean;
  parallel: boolean;
  startup_cost: number | null;
  total_cost: number | null;
  /** Rows of one loop. */
  estimated_rows: number | null;
  actual_rows: number | null;
  width: number | null;
  loops: number | null;
  never_executed: boolean | null;
  /** Of all loops. */
  total_rows: number | null;
  /** Of all loops with everything below; of what ran in parallel, the share of one process. */
  inclusive_ms: number | null;
  own_ms: number | null;
  misestimate: Misestimate | null;
  conditions: Condition[];
  keys: Condition[];
  rows_removed_by_filter: number | null;
  rows_removed_by_join_filter: number | null;
  rows_removed_by_recheck: number | null;
  sort_method: string | null;
  spills: Spill[];
  buffers: Buffers | null;
  own_buffers: Buffers | null;
  heap_fetches: number | null;
  exact_heap_blocks: number | null;
  lossy_heap_blocks: number | null;
  workers_planned: number | null;
  workers_launched: number | null;
  /** What else the plan says of it, as it was written. */
  details: Condition[];
  advice: Advice[];
  children: PlanNode[];
}

export interface Advice {
  /** Of the catalog, such as `sort_spilled`. */
  advice: string;
  node: number;
  title: string;
  /** What in the plan shows it, with its figures. */
  evidence: string;
  /** What to do, in words. */
  action: string;
  /** Statements, where the plan says enough to write them; to be looked over before they are run. */
  remedy: string | null;
}

export interface Trigger {
  name: string;
  relation: string | null;
  ms: number | null;
  calls: number | null;
}

export interface Jit {
  functions: number | null;
  total_ms: number | null;
  options: string | null;
}

export type PlanFormat = 'text' | 'json' | 'yaml' | 'xml';

export interface Plan {
  format: PlanFormat;
  /** One sentence on the whole. */
  verdict: string;
  query_text: string | null;
  query_id: string | null;
  /** Whether it was run: EXPLAIN ANALYZE or auto_explain with log_analyze. */
  analyzed: boolean;
  /** Of the tree's shape, without costs and values. */
  plan_hash: string;
  nodes: number;
  planning_ms: number | null;
  execution_ms: number | null;
  /** As the log says. */
  duration_ms: number | null;
  serialization_ms: number | null;
  jit: Jit | null;
  triggers: Trigger[];
  settings: Record<string, string>;
  /** Of planning, memory and whatever else belongs to no node. */
  details: Condition[];
  /** The node with the most time of its own. */
  dearest_node: number | null;
  worst_estimated_node: number | null;
  /** Lines and keys whose meaning is unknown; they are kept in `details`. */
  unknown: { count: number; names: string[] };
  plan: PlanNode;
  advice: Advice[];
}
