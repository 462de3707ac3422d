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
const DROPPED = new Set(['Query Parameters']);
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const LONGEST_TEXT = 8000;

function maskedValue(key: string, value: Value, text: (statement: string) => string): Value {
  if (Array.isArray(value)) return value.map((one) => maskedValue(key, one, text));
  if (isGroup(value)) return key === 'Settings' ? value : maskedGroup(value, text);
  if (EXPRESSIONS.test(key)) return typeof value === 'string' ? withoutValues(value) : value;
  if (typeof value !== 'string' || NAMES.has(key) || NUMBER.test(value)) return value;
  return key === 'Query Text' ? text(cutText(value, LONGEST_TEXT, '…')) : withoutValues(value);
}

function maskedGroup(group: Group, text: (statement: string) => string): Group {
  return new Map(
    [...group].flatMap(([key, value]): [string, Value][] =>
      DROPPED.has(key) ? [] : [[key, maskedValue(key, value, text)]],
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
  /** What EXPLAIN (FORMAT JSON) would print of it. */
  explain: string;
  /** The statement as it was, for nothing but to be compared. */
  statement: string;
}

/** The plan of a text that is nothing but one plan; undefined where there is none. Throws what `readPlans` throws. */
export function maskedPlan(
  written: string,
  { duration_ms, text }: { duration_ms: number | null; text: (statement: string) => string },
): MaskedPlan | undefined {
  const { format, queries } = readFormat(written);
  const [query] = queries;
  if (query === undefined) return undefined;
  const masked = maskedGroup(query, text);
  const statement = query.get('Query Text');
  return {
    plan: planOf(masked, format, duration_ms),
    explain: JSON.stringify([plain(masked)]),
    statement: typeof statement === 'string' ? statement : '',
  };
}

const LOGGED = /^duration: (\d+(?:\.\d+)?) ms {2}plan:/;

/** The plan that a message of auto_explain has, in any of its formats. */
export function loggedPlan(message: string, text: (statement: string) => string): MaskedPlan | undefined {
  const found = LOGGED.exec(message);
  if (found === null) return undefined;
  return maskedPlan(message.slice(found[0].length).replace(/^\s*\n/, ''), {
    duration_ms: Number(found[1]),
    text,
  });
}
