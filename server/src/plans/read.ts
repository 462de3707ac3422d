// Reads the plans of a text: what was pasted, a file, or a log of auto_explain. Pure: the page runs it in the browser. Guards: whatever is no
// plan is answered by one sentence that says what to do; memory and time have bounds (caps.ts).
import { UsageError } from '../kernel/errors.ts';
import { greatest } from '../kernel/lists.ts';
import { advise } from './advise.ts';
import { MOST_CHARACTERS, MOST_LINES } from './caps.ts';
import { dearestOf, noteFigures, worstEstimatedOf } from './figures.ts';
import { type Counted, nodeOf } from './node.ts';
import { meaningOf } from './node-kinds.ts';
import { flatDetails, jitOf, settingsOf, triggersOf } from './query.ts';
import { type Group, isGroup, numberAt, textAt, type Value } from './read/document.ts';
import { readJson } from './read/json.ts';
import { refuseOther } from './read/other-programs.ts';
import { rewritten } from './read/rewritten.ts';
import { readText } from './read/text.ts';
import { unwrap, type Wrapped } from './read/unwrap.ts';
import { readXml } from './read/xml.ts';
import { readYaml } from './read/yaml.ts';
import { hashOf, shapeOf } from './shape.ts';
import type { Plan, PlanFormat } from './types.ts';
import { verdictOf } from './verdict.ts';
import { nodesOf } from './walk.ts';

const NO_PLAN =
  'This has no query plan. Paste what EXPLAIN (ANALYZE, BUFFERS) printed, as text, JSON, YAML or XML, from its first line on.';

const hasPlan = (group: Group) => {
  const plan = group.get('Plan');
  return isGroup(plan) && plan.has('Node Type');
};

const PLAN_IN_TEXT = /^\s*[[{].{0,300}"(?:Plan|Node Type|Query Text)"/s;

/** Members within members that are looked at: of drivers, formats and answers of programs. */
const MOST_AROUND = 8;

/** Within whatever drivers, formats and programs put around. */
function queriesOf(value: Value, depth = 0): Group[] {
  if (depth > MOST_AROUND) return [];
  if (typeof value === 'string') return PLAN_IN_TEXT.test(value) ? queriesOf(readJson(value), depth + 1) : [];
  if (Array.isArray(value)) return value.flatMap((one) => queriesOf(one, depth + 1));
  if (!isGroup(value)) return [];
  if (hasPlan(value)) return [value];
  if (value.has('Node Type')) return [new Map([['Plan', value]])];
  return [...value.values()].flatMap((one) => queriesOf(one, depth + 1));
}

const isYaml = (text: string) => /^[ \t]*(?:- )?Plan:[ \t]*$/m.test(text);

export interface Read {
  format: PlanFormat;
  queries: Group[];
}

/** JSON below other lines, such as the statement that it is the plan of. */
function fromFirstBracket(text: string): string | undefined {
  const start =
    /^[ \t]*[[{][ \t]*$/m.exec(text)?.index ??
    /(?:\[\s*)?\{\s*"(?:Plan|Query Text|Query Identifier|Node Type)"\s*:/.exec(text)?.index ??
    /\{\s*"[^"{}[\]]{1,60}"\s*:\s*(?:\[\s*)?\{\s*"Plan"/.exec(text)?.index;
  return start === undefined ? undefined : text.slice(start);
}

/** Rows of a result as drivers write them, each with a line of the text, and members with the whole of it. */
function rowsOf(value: Value, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (depth > 4) return [];
  if (Array.isArray(value)) return value.flatMap((one) => rowsOf(one, depth + 1));
  if (!isGroup(value)) return [];
  const rows = ['QUERY PLAN', 'rows', 'query plan']
    .map((name) => value.get(name))
    .find((one) => one !== undefined);
  if (rows !== undefined) return rowsOf(rows, depth + 1);
  const texts = [...value.values()].map((one) => rowsOf(one, depth + 1).join('\n'));
  return texts.filter((text) => text.includes('\n'));
}

function fromJson(value: Value): Read {
  const queries = queriesOf(value);
  if (queries.length > 0) return { format: 'json', queries };
  return { format: 'text', queries: readText(rowsOf(value).join('\n')) };
}

/** All plans of a text that is nothing but plans, as groups of the keys of the JSON format. */
export function readFormat(text: string): Read {
  const first = text.trimStart().charAt(0);
  if (first === '[' || first === '{' || first === '"') return fromJson(readJson(text));
  if (first === '<') return { format: 'xml', queries: queriesOf(readXml(text)) };
  if (isYaml(text)) return { format: 'yaml', queries: queriesOf(readYaml(text)) };
  const read = readText(text);
  if (read.length > 0) return { format: 'text', queries: read };
  const json = fromFirstBracket(text);
  if (json !== undefined) return { format: 'json', queries: queriesOf(readJson(json)) };
  const xml = text.indexOf('<explain');
  if (xml !== -1) return { format: 'xml', queries: queriesOf(readXml(text.slice(xml))) };
  return { format: 'text', queries: [] };
}

/** What a read document says of a plan. */
export function planOf(query: Group, format: PlanFormat, duration_ms: number | null): Plan {
  const top = query.get('Plan');
  if (!isGroup(top)) throw new UsageError(NO_PLAN);
  const counted: Counted = { nodes: 0, unknown: 0, names: new Set() };
  const root = nodeOf(top, counted);
  noteFigures(root);
  const nodes = nodesOf(root);
  for (const node of nodes) node.meaning = meaningOf(node);
  const details = flatDetails(query, counted);
  const triggers = triggersOf(query);
  const longest = greatest(
    triggers.map(({ ms }) => ms ?? 0),
    0,
  );
  const plan: Plan = {
    format,
    verdict: '',
    query_text: textAt(query, 'Query Text'),
    query_id: textAt(query, 'Query Identifier'),
    analyzed: nodes.some(({ loops }) => loops !== null),
    plan_hash: hashOf(shapeOf(root)),
    nodes: nodes.length,
    planning_ms: numberAt(query, 'Planning Time'),
    execution_ms: numberAt(query, 'Execution Time'),
    duration_ms,
    serialization_ms: serializationOf(query),
    jit: jitOf(query),
    triggers,
    settings: settingsOf(query),
    details,
    dearest_node: dearestOf(nodes, longest),
    worst_estimated_node: worstEstimatedOf(nodes),
    unknown: { count: counted.unknown, names: [...counted.names] },
    plan: root,
    advice: [],
  };
  plan.advice = advise(plan);
  plan.verdict = verdictOf(plan);
  return plan;
}

function serializationOf(query: Group): number | null {
  const group = query.get('Serialization');
  return isGroup(group) ? numberAt(group, 'Time') : null;
}

function readWrapped({ text, duration_ms }: Wrapped): Plan[] {
  const { format, queries } = readFormat(text);
  return queries.map((query) => planOf(query, format, duration_ms));
}

/** Counted without a list of them. */
function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Sentence of a text that cannot have a plan, before it is looked at. */
function refuse(text: string): void {
  if (text.length > MOST_CHARACTERS)
    throw new UsageError(
      `The text has more than ${MOST_CHARACTERS / 1024 / 1024} million characters, which is more than a plan has; give the plan alone.`,
    );
  if (linesOf(text) > MOST_LINES)
    throw new UsageError('The text has more than a million lines; give the plan alone.');
  if (text.trim() === '') throw new UsageError('There is nothing to read. Paste what EXPLAIN printed.');
  if (text.includes('\u0000'))
    throw new UsageError('This is a binary file and no plan. Give what EXPLAIN printed.');
}

function plansIn(text: string): Plan[] {
  const wrapped = unwrap(text);
  const [only] = wrapped;
  const plans = wrapped.length === 1 && only ? readWrapped(only) : wrapped.flatMap(readTolerant);
  if (plans.every(({ plan }) => plan.title.startsWith('XN '))) refuseOther(text);
  if (plans.length === 0) throw new UsageError(NO_PLAN);
  return plans;
}

/** Strings within strings, each with its own escapes. */
const MOST_REWRITES = 3;

/** As it is, or else read another way; the sentence is that of the text as it is. */
function plansOf(text: string, depth: number): Plan[] {
  try {
    return plansIn(text);
  } catch (error) {
    if (!(error instanceof UsageError) || depth === MOST_REWRITES) throw error;
    for (const other of rewritten(text)) {
      try {
        return plansOf(other, depth + 1);
      } catch (again) {
        if (!(again instanceof UsageError)) throw again;
      }
    }
    throw error;
  }
}

/** All plans of a text, in its order, at least one; a sentence where it has none. */
export function readPlans(text: string): Plan[] {
  refuse(text);
  return plansOf(text, 0);
}

/** Of several plans, one that is broken does not cost the others. */
function readTolerant(one: Wrapped): Plan[] {
  try {
    return readWrapped(one);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
