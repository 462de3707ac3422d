// A plan as it is kept: the JSON of EXPLAIN whatever format it was read from, without the values of its statement. Guards: what is not known
// to be a name or a figure has its literals taken out; parameters are left out altogether.
import { cutText } from '../kernel/inert-text.ts';
import { type Group, isGroup, type Value } from './read/document.ts';
import { planOf, readFormat } from './read.ts';
import { withoutValues } from './shape.ts';
import type { Plan } from './types.ts';

/** Names and words, which may have digits and quotes. */
const NAMES = new Set([
  ...['Node Type', 'Parent Relationship', 'Subplan Name', 'Schema', 'Relation Name', 'Alias', 'Index Name'],
  ...['CTE Name', 'Function Name', 'Table Function Name', 'Tuplestore Name', 'Join Type', 'Strategy'],
  ...['Partial Mode', 'Operation', 'Command', 'Scan Direction', 'Sort Method', 'Sort Space Type', 'Storage'],
  ...['Custom Plan Provider', 'Conflict Arbiter Indexes', 'Query Identifier', 'Trigger Name', 'Relation'],
  ...['Constraint Name', 'Timing', 'Options', 'Cache Mode', 'Sort Methods Used'],
]);
/** Whose texts are all expressions, also where they are a number alone. */
const EXPRESSIONS =
  /^(?!Rows Removed).*(?:Cond|Filter|Keys?|Order By|Condition|Output|Call|Remote SQL|Parameters|Seed|Window|Program|File)$/;
/** The statement is put back by whoever masks it. */
const DROPPED = new Set(['Query Parameters', 'Query Text']);
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const LONGEST_TEXT = 8000;

function maskedValue(key: string, value: Value): Value {
  if (Array.isArray(value)) return value.map((one) => maskedValue(key, one));
  if (isGroup(value)) return key === 'Settings' ? value : maskedGroup(value);
  if (typeof value !== 'string') return value;
  const isPlain = !EXPRESSIONS.test(key) && (NAMES.has(key) || NUMBER.test(value));
  return isPlain ? value : withoutValues(value);
}

function maskedGroup(group: Group): Group {
  return new Map(
    [...group].flatMap(([key, value]): [string, Value][] =>
      DROPPED.has(key) ? [] : [[key, maskedValue(key, value)]],
    ),
  );
}

/** As JSON.stringify takes it; each key becomes a member of its own, whatever it is called. */
const plain = (value: Value): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  return isGroup(value) ? Object.fromEntries([...value].map(([key, one]) => [key, plain(one)])) : value;
};

export interface MaskedPlan {
  plan: Plan;
  /** What EXPLAIN (FORMAT JSON) would print of it; `mask` takes the values out of the statement. */
  explain(mask: (statement: string) => string): string;
  /** The statement as it was written, for nothing but to be compared. */
  statement: string;
}

/** The plan of a text that is nothing but one plan; undefined where there is none. Throws what `readPlans` throws. */
export function maskedPlan(written: string, duration_ms: number | null = null): MaskedPlan | undefined {
  const { format, queries } = readFormat(written);
  const [query] = queries;
  if (query === undefined) return undefined;
  const masked = maskedGroup(query);
  const text = query.get('Query Text');
  const statement = typeof text === 'string' ? text : '';
  const named = (mask: (statement: string) => string): Group =>
    statement === ''
      ? masked
      : new Map([['Query Text', mask(cutText(statement, LONGEST_TEXT, '…'))], ...masked]);
  return {
    plan: planOf(masked, format, duration_ms),
    explain: (mask) => JSON.stringify([plain(named(mask))]),
    statement,
  };
}

const LOGGED = /^duration: (\d+(?:\.\d+)?) ms {2}plan:/;

/** The plan that a message of auto_explain has, in any of its formats. */
export function loggedPlan(message: string): MaskedPlan | undefined {
  const found = LOGGED.exec(message);
  if (found === null) return undefined;
  return maskedPlan(message.slice(found[0].length).replace(/^\s*\n/, ''), Number(found[1]));
}
