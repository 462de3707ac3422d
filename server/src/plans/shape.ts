// The identity of a plan: what it does, in which order and by which indexes, without costs, figures and values. Guards: the same plan has the
// same hash in all four formats. Schemas are left out, since only VERBOSE prints them; a plan with VERBOSE also qualifies columns, and so
// is compared with others of VERBOSE alone.
import type { Condition, PlanNode } from './types.ts';
import { nodesOf } from './walk.ts';

const TEXTS = /'(?:[^']|'')*'/g;
const NUMBERS = /(?<![\w$".])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w"])/gi;

/** Names of subplans have numbers, too, which are not values. */
const withoutValues = (text: string) =>
  text
    .replaceAll(TEXTS, '?')
    .replaceAll(NUMBERS, (number, at: number) =>
      /(?:Init|Sub)Plan $/.test(text.slice(Math.max(0, at - 9), at)) ? number : '?',
    );

const written = ({ name, text }: Condition) => `${name}: ${withoutValues(text)}`;

function ofNode(node: PlanNode): string {
  const { relation, index, cte, function: called, strategy, operation, command, subplan, alias } = node;
  const target = relation ?? cte ?? called ?? alias;
  const parts = [
    node.title,
    strategy,
    operation,
    command,
    target,
    index,
    subplan?.replace(/ \(returns.*$/, ''),
  ];
  const rules = [...node.keys, ...node.conditions].map(written).toSorted();
  return [...parts.filter((part) => part !== null && part !== undefined), ...rules].join(' · ');
}

/** The tree, a node a line, with its depth. */
export function shapeOf(root: PlanNode): string {
  const depths = new Map([[root, 0]]);
  return nodesOf(root)
    .map((node) => {
      const depth = depths.get(node) ?? 0;
      for (const child of node.children) depths.set(child, depth + 1);
      return `${depth} ${ofNode(node)}`;
    })
    .join('\n');
}

/** 64 bits, the same in a browser and on the server; it names a plan and guards nothing. */
export function hashOf(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
