// EXPLAIN (FORMAT JSON), as printed or within what a driver made of it.
import { UsageError } from '../../kernel/errors.ts';
import { toValue, type Value } from './document.ts';

/** Too large for a number of JavaScript, so it is read as text. */
const IDENTIFIER = /("Query Identifier"\s*:\s*)(-?\d{1,20})(?=\s*[,}])/;

export function readJson(text: string): Value {
  const whole = text.trim().replace(/;$/, '');
  let parsed: unknown;
  try {
    parsed = JSON.parse(whole.replace(IDENTIFIER, '$1"$2"'));
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new UsageError('The JSON is nested too deep to be read; paste the output of EXPLAIN itself.');
    throw new UsageError(
      /[\]}]$/.test(whole)
        ? 'This is not valid JSON; paste the output of EXPLAIN (FORMAT JSON) without changing it.'
        : 'The plan ends in the middle of its JSON; copy it from its first to its last bracket.',
    );
  }
  return toValue(parsed);
}
