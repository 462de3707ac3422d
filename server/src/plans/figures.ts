// What each node took by itself. PostgreSQL prints times and pages of a node with all below it, times as an average of its loops, and an
// InitPlan or a CTE beside the node that waits for it. Guards: nothing is counted twice; what was not measured stays null.
import { plusBuffers, withoutBuffers } from './buffers.ts';
import type { Buffers, Misestimate, PlanNode } from './types.ts';
import { inputsOf, nodesOf } from './walk.ts';

const GATHERS = ['Gather', 'Gather Merge'];

/** Of what several processes did at once, the share of one: so times add up to what the statement took. */
function shareTimes(root: PlanNode): void {
  const waiting: [PlanNode, number][] = [[root, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, processes] = next;
    if (node.inclusive_ms !== null) node.inclusive_ms /= processes;
    for (const child of node.children) {
      const isShared = GATHERS.includes(node.node) && child.subplan === null;
      const many = isShared && node.loops && child.loops ? Math.max(1, child.loops / node.loops) : 1;
      waiting.push([child, processes * many]);
    }
  }
}

const mentions = (node: PlanNode, pattern: RegExp): boolean =>
  [...node.conditions, ...node.keys, ...node.details].some(({ text }) => pattern.test(text));

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** How the rest of the plan names what an InitPlan returns: `$0`, from 17 on `(InitPlan 1).col1`, from 19 on also `(minmax_1).col1`. */
function nameOfResult(subplan: string): RegExp | undefined {
  const [, own, returned] = /^InitPlan (\w+)(?: \(returns (.*)\))?/.exec(subplan) ?? [];
  if (own === undefined) return undefined;
  const names = (returned ?? '').split(',').filter((name) => name.startsWith('$'));
  const patterns = [...names.map((name) => `${escaped(name)}(?!\\d)`), `InitPlan ${own}\\b`];
  return new RegExp([...patterns, `\\(${own}\\)\\.col`].join('|'));
}

const longest = (nodes: readonly PlanNode[]) =>
  nodes.toSorted((a, b) => (b.inclusive_ms ?? 0) - (a.inclusive_ms ?? 0));

/** Nodes whose own figures have those of a subplan in them, most likely first. */
function payersOf(owner: PlanNode, child: PlanNode, all: readonly PlanNode[]): PlanNode[] {
  const subplan = child.subplan ?? '';
  const inside = new Set(nodesOf(child));
  if (subplan.startsWith('CTE ')) {
    const name = subplan.slice('CTE '.length);
    return longest(all.filter((node) => node.node === 'CTE Scan' && node.cte === name && !inside.has(node)));
  }
  const result = nameOfResult(subplan);
  if (result === undefined) return [owner];
  const users = all.filter((node) => !inside.has(node) && mentions(node, result));
  const gathers = users.filter(({ node }) => GATHERS.includes(node));
  const enough = users.filter(({ inclusive_ms }) => (inclusive_ms ?? 0) >= (child.inclusive_ms ?? 0));
  return gathers.length > 0
    ? gathers.slice(0, 1)
    : longest(enough)
        .slice(-1)
        .concat(enough.length === 0 ? [owner] : []);
}

interface Charge {
  ms: number;
  buffers: Buffers[];
}

/** By node: what is to be taken off its figures for what it waited for. */
function chargesOf(all: readonly PlanNode[]): Map<PlanNode, Charge> {
  const charges = new Map<PlanNode, Charge>();
  const charge = (node: PlanNode, ms: number, buffers: Buffers | null) => {
    const known = charges.get(node) ?? { ms: 0, buffers: [] };
    charges.set(node, {
      ms: known.ms + ms,
      buffers: buffers === null ? known.buffers : [...known.buffers, buffers],
    });
  };
  for (const owner of all) {
    let direct = 0;
    let pages: Buffers | null = null;
    for (const child of owner.children) {
      if (child.subplan === null) {
        direct += child.inclusive_ms ?? 0;
        if (child.buffers) pages = pages === null ? child.buffers : plusBuffers(pages, child.buffers);
        continue;
      }
      let left = child.inclusive_ms ?? 0;
      for (const [at, payer] of payersOf(owner, child, all).entries()) {
        const part = Math.min(left, payer.inclusive_ms ?? 0);
        charge(payer, part, at === 0 ? child.buffers : null);
        left -= part;
      }
    }
    if (direct > 0 || pages !== null) charge(owner, direct, pages);
  }
  return charges;
}

/** Read to their end, also where only some of their rows are needed. */
const isWhole = ({ node, strategy }: PlanNode): boolean =>
  ['Sort', 'Hash', 'Bitmap Heap Scan', 'Bitmap Index Scan'].includes(node) ||
  (node === 'Aggregate' && strategy !== 'Sorted');

/** Whether a child may have been left before its last row. */
function isCutBelow(node: PlanNode, child: PlanNode, isCut: boolean): boolean {
  if (child.subplan !== null || node.node === 'Limit' || node.node === 'Merge Join') return true;
  // The other side of an empty hash table is left after its first row.
  if (node.node === 'Hash Join' && inputsOf(node)[1]?.actual_rows === 0 && inputsOf(node)[0] === child)
    return true;
  const isOnce = node.join_type === 'Semi' || node.join_type === 'Anti';
  if (isOnce && node.node === 'Nested Loop' && inputsOf(node)[1] === child) return true;
  return isCut && !isWhole(node);
}

const atLeastOne = (rows: number) => Math.max(1, rows);

function misestimateOf(node: PlanNode, isCut: boolean): Misestimate | null {
  const { estimated_rows, actual_rows } = node;
  if (estimated_rows === null || actual_rows === null || /^Bitmap(?:And|Or)$/.test(node.node)) return null;
  const factor = atLeastOne(actual_rows) / atLeastOne(estimated_rows);
  if (isCut && factor < 1) return null;
  const rows = { actual_rows, estimated_rows };
  return factor >= 1
    ? { ...rows, factor, direction: 'more' }
    : { ...rows, factor: 1 / factor, direction: 'fewer' };
}

function noteEstimates(root: PlanNode): void {
  const waiting: [PlanNode, boolean][] = [[root, false]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, isCut] = next;
    node.misestimate = misestimateOf(node, isCut);
    for (const child of node.children) waiting.push([child, isCutBelow(node, child, isCut)]);
  }
}

/** Fills in what a node took by itself, and how far its estimate was off. */
export function noteFigures(root: PlanNode): void {
  shareTimes(root);
  const all = nodesOf(root);
  const charges = chargesOf(all);
  for (const node of all) {
    const { ms = 0, buffers = [] } = charges.get(node) ?? {};
    if (node.inclusive_ms !== null) node.own_ms = Math.max(0, node.inclusive_ms - ms);
    else if (node.never_executed === true && root.inclusive_ms !== null) node.inclusive_ms = node.own_ms = 0;
    if (node.buffers !== null) node.own_buffers = withoutBuffers(node.buffers, buffers);
  }
  noteEstimates(root);
}

/** Beside a trigger that took so many times as long, no node is dear. */
const OF_TRIGGER = 10;

export function dearestOf(nodes: readonly PlanNode[], trigger_ms: number): number | null {
  const dearest = nodes.reduce<PlanNode | undefined>(
    (most, node) => ((node.own_ms ?? 0) > (most?.own_ms ?? 0) ? node : most),
    undefined,
  );
  return (dearest?.own_ms ?? 0) * OF_TRIGGER < trigger_ms ? null : (dearest?.id ?? null);
}

/** Off by less, or of fewer rows, nothing follows from it. */
const WORTH_FACTOR = 2;
const WORTH_ROWS = 10;

/** The node nearest to where the mistake begins, among those that are off most. */
export function worstEstimatedOf(nodes: readonly PlanNode[]): number | null {
  const worth = nodes.filter(
    ({ misestimate, actual_rows, estimated_rows }) =>
      (misestimate?.factor ?? 0) >= WORTH_FACTOR &&
      Math.max(actual_rows ?? 0, estimated_rows ?? 0) >= WORTH_ROWS,
  );
  const worst = worth.reduce<PlanNode | undefined>(
    (most, node) => ((node.misestimate?.factor ?? 0) >= (most?.misestimate?.factor ?? 0) ? node : most),
    undefined,
  );
  return worst?.id ?? null;
}
