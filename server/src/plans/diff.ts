// Two plans of one statement beside each other, node by node: what stayed, what reads the same in another way, what came and what went.
// Guards: bounded work for plans of any size.

import { many, shownMs, shownNumber } from './shown-figures.ts';
import type { Plan, PlanNode } from './types.ts';
import { totalMs } from './verdict.ts';
import { nameOf, nodesOf } from './walk.ts';

export interface DiffSide {
  node: number;
  name: string;
  own_ms: number | null;
  total_cost: number | null;
  estimated_rows: number | null;
  total_rows: number | null;
}

export interface DiffRow {
  change: 'same' | 'changed' | 'added' | 'removed';
  before: DiffSide | null;
  after: DiffSide | null;
}

export interface PlanDiff {
  verdict: string;
  same_plan: boolean;
  before_hash: string;
  after_hash: string;
  before_ms: number | null;
  after_ms: number | null;
  rows: DiffRow[];
}

/** Beyond so many pairs, nodes are paired one after the other instead of at best. */
const MOST_PAIRS = 4_000_000;

type Pair = [before: number, after: number];

/** The longest sequence of equal nodes in both. */
function longestCommon(a: readonly string[], b: readonly string[]): Pair[] {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      best[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: Pair[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The same for very large plans: each with the next one that is equal. */
function inTurn(a: readonly string[], b: readonly string[]): Pair[] {
  const places = Map.groupBy(b.keys(), (j) => b[j] ?? '');
  let last = -1;
  return a.flatMap((key, i): Pair[] => {
    const next = places.get(key)?.find((j) => j > last);
    if (next === undefined) return [];
    last = next;
    return [[i, next]];
  });
}

const familyOf = ({ node }: PlanNode): string =>
  /Join$|^Nested Loop$/.test(node) ? 'join' : node === 'Incremental Sort' ? 'Sort' : node;

/** What a node is about: the table that it reads, or its kind of work. */
const subjectOf = (node: PlanNode) =>
  node.relation === null ? familyOf(node) : `${node.relation} ${node.alias ?? ''}`;

function pairsOf(before: readonly PlanNode[], after: readonly PlanNode[]): Pair[] {
  const align = before.length * after.length > MOST_PAIRS ? inTurn : longestCommon;
  const equal = align(before.map(nameOf), after.map(nameOf));
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  // Between two equal nodes, what is about the same thing is one that changed.
  for (const [nextI, nextJ] of [...equal, [before.length, after.length] satisfies Pair]) {
    const [left, right] = [before.slice(i, nextI), after.slice(j, nextJ)];
    const changed = align(left.map(subjectOf), right.map(subjectOf));
    for (const [a, b] of changed) pairs.push([i + a, j + b]);
    if (nextI < before.length && nextJ < after.length) pairs.push([nextI, nextJ]);
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return pairs;
}

const sideOf = (node: PlanNode): DiffSide => ({
  node: node.id,
  name: nameOf(node),
  own_ms: node.own_ms,
  total_cost: node.total_cost,
  estimated_rows: node.estimated_rows,
  total_rows: node.total_rows,
});

function rowsOf(before: readonly PlanNode[], after: readonly PlanNode[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...pairsOf(before, after), [before.length, after.length] satisfies Pair]) {
    for (const node of before.slice(i, nextI))
      rows.push({ change: 'removed', before: sideOf(node), after: null });
    for (const node of after.slice(j, nextJ))
      rows.push({ change: 'added', before: null, after: sideOf(node) });
    const [a, b] = [before[nextI], after[nextJ]];
    if (a && b)
      rows.push({
        change: nameOf(a) === nameOf(b) ? 'same' : 'changed',
        before: sideOf(a),
        after: sideOf(b),
      });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return rows;
}

function speedOf(before: number | null, after: number | null): string {
  if (before === null || after === null) return 'Times are unknown of at least one of them.';
  const [from, to] = [shownMs(before), shownMs(after)];
  if (before <= 0 || after <= 0) return `${from} before, ${to} after.`;
  const factor = before > after ? before / after : after / before;
  if (factor < 1.1) return `About as fast: ${from} before, ${to} after.`;
  return `${shownNumber(factor)} times as ${before > after ? 'fast' : 'slow'}: ${from} before, ${to} after.`;
}

export function diffOf(before: Plan, after: Plan): PlanDiff {
  const rows = rowsOf(nodesOf(before.plan), nodesOf(after.plan));
  const [before_ms, after_ms] = [totalMs(before), totalMs(after)];
  const isSame = before.plan_hash === after.plan_hash;
  const count = (change: DiffRow['change']) => rows.filter((row) => row.change === change).length;
  const changes = isSame
    ? 'The two plans are the same.'
    : `The plans differ: ${many(count('changed'), 'node')} changed, ${count('added')} added, ${count('removed')} removed.`;
  return {
    verdict: `${changes} ${speedOf(before_ms, after_ms)}`,
    same_plan: isSame,
    before_hash: before.plan_hash,
    after_hash: after.plan_hash,
    before_ms,
    after_ms,
    rows,
  };
}
