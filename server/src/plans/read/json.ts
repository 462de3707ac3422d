// EXPLAIN (FORMAT JSON), as printed or within what a driver made of it.
import { UsageError } from '../../kernel/errors.ts';
import { MOST_LEVELS } from '../caps.ts';
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

export function readJson(text: string): Value {
  const whole = text.trim().replace(/;$/, '');
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
