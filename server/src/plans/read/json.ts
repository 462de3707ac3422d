// EXPLAIN (FORMAT JSON), as printed or within what a driver made of it.
import { UsageError } from '../../kernel/errors.ts';
import { MOST_LEVELS, MOST_PLANS } from '../caps.ts';
import { tooDeep, toValue, type Value } from './document.ts';

/** Too large for a number of JavaScript, so it is read as text. */
const IDENTIFIER = /("Query Identifier"\s*:\s*)(-?\d{1,20})(?=\s*[,}])/;

/** Of a node that is a list of nodes and a node each, and of what is around the plan. */
const MOST_NESTED = 2 * MOST_LEVELS + 20;

/** Found without recursion, before anything that is. */
function demandNotTooDeep(json: string): void {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const one = json.charAt(at);
    if (isInText && one === '\\') at += 1;
    else if (one === '"') isInText = !isInText;
    else if (!isInText && (one === '{' || one === '[')) depth += 1;
    else if (!isInText && (one === '}' || one === ']')) depth -= 1;
    if (depth > MOST_NESTED) throw tooDeep();
  }
}

/** Up to the bracket that closes the first; psql and people write more below it. */
function firstValue(json: string): string {
  if (!/^[[{]/.test(json)) return json;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const one = json.charAt(at);
    if (isInText && one === '\\') at += 1;
    else if (one === '"') isInText = !isInText;
    else if (!isInText && (one === '{' || one === '[')) depth += 1;
    else if (!isInText && (one === '}' || one === ']')) depth -= 1;
    if (depth > MOST_NESTED) throw tooDeep();
    if (depth === 0) return json.slice(0, at + 1);
  }
  return json;
}

export function readJson(text: string): Value {
  const values: Value[] = [];
  let rest = text.trim();
  do {
    const whole = firstValue(rest);
    values.push(readOne(whole));
    rest = rest.slice(whole.length).replace(/^[;,\s]+/, '');
    // Several, one below the other.
  } while (/^[[{]\s*["{[]/.test(rest) && values.length < MOST_PLANS);
  const [only = null] = values;
  return values.length === 1 ? only : values;
}

function readOne(whole: string): Value {
  demandNotTooDeep(whole);
  let parsed: unknown;
  try {
    parsed = JSON.parse(whole.replace(IDENTIFIER, '$1"$2"'));
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep();
    throw new UsageError(
      /[\]}]$/.test(whole)
        ? 'This is not valid JSON; paste the output of EXPLAIN (FORMAT JSON) without changing it.'
        : 'The plan ends in the middle of its JSON; copy it from its first to its last bracket.',
    );
  }
  return toValue(parsed);
}
