// The identity of a plan: what it does, in which order and by which indexes, without costs, figures and values. Guards: the same plan has the
// same hash in all four formats and in PostgreSQL 14 to 19. Schemas are left out, since only VERBOSE prints them; a plan with VERBOSE also
// qualifies columns, and so is compared with others of VERBOSE alone.
import type { Condition, PlanNode } from './types.ts';
import { nodesOf } from './walk.ts';

const TEXTS = /'(?:[^']|'')*'/g;
const NUMBERS = /(?<![\w$".])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w"])/gi;

/** Names of subplans have numbers, too, which are not values. */
export const withoutValues = (text: string): string =>
  text
    .replaceAll(TEXTS, '?')
    .replaceAll(NUMBERS, (number, at: number) =>
      /(?:Init|Sub)Plan $/.test(text.slice(Math.max(0, at - 9), at)) ? number : '?',
    );

/** A value that is known when the plan runs: a parameter, or what an InitPlan answers, which has other names up to 16. */
const PARAMETERS = /\$\d+|\(InitPlan \d+\)(?:\.col\d+)?/g;
/** What a literal has for a type and a parameter has not. */
const CASTS =
  /\?::(?:"[^"]+"|[a-z_][\w.]*)(?: varying| precision)?(?:\(\?(?:, ?\?)?\))?(?: with(?:out)? time zone)?(?:\[\])*/g;
const ARRAYS = /ARRAY\[\?(?:, \?)*\]/g;
/** As 17 and later write what was `(SubPlan 1)`. */
const TESTED = /(?:EXISTS|ARRAY)\((SubPlan \d+)\)/g;
const OF_COLUMN = /\(((?:hashed )?SubPlan \d+)\)\.col\d+/;

/** Behind the bracket that closes the one at `start`. */
function closedAt(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (one === '(') depth += 1;
    else if (one === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}

const MOST_TESTS = 20;

/** `(ANY (id = (hashed SubPlan 1).col1))`, as 17 and later write it, as `(hashed SubPlan 1)`. */
function withoutTests(text: string): string {
  let kept = text;
  for (let tests = 0; tests < MOST_TESTS; tests += 1) {
    const start = kept.search(/\((?:ANY|ALL) \((?:[^']*?)SubPlan/);
    if (start === -1) return kept;
    const end = closedAt(kept, start);
    const name = OF_COLUMN.exec(kept.slice(start, end))?.[1];
    if (name === undefined) return kept;
    kept = `${kept.slice(0, start)}(${name})${kept.slice(end)}`;
  }
  return kept;
}

/** The same text for the same condition, with literals or parameters, in each version. */
function canonical(text: string): string {
  const bare = withoutValues(text).replaceAll(PARAMETERS, '?').replaceAll(CASTS, '?').replaceAll(ARRAYS, '?');
  return bare.includes('SubPlan') ? withoutTests(bare.replaceAll(TESTED, '($1)')) : bare;
}

/** Up to 16 also where the column cannot be null. */
const isNotNull = ({ name, text }: Condition) =>
  name === 'Index Cond' && /^\([^() ]+ IS NOT NULL\)$/.test(text);

const written = ({ name, text }: Condition) => `${name}: ${canonical(text)}`;

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
  const rules = [...node.keys, ...node.conditions].flatMap((one) => (isNotNull(one) ? [] : written(one)));
  return [...parts.filter((part) => part !== null && part !== undefined), ...rules.toSorted()].join(' · ');
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
