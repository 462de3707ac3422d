// Tells errors by which the datastore refuses the data itself from all others: such data is given up, since trying
// again would never help. Pure.
import { errorCode, Fault } from '../../kernel/errors.ts';

/** SQLSTATE classes: cardinality, data, integrity, program limits. */
const REFUSED = /^(21|22|23|54)/;

/**
 * What a node of Citus says of rows in a COPY comes back from the coordinator in the same words, but as an internal
 * error: there the words alone tell.
 */
const OF_NODES: readonly (readonly [RegExp, string])[] = [
  [/^duplicate key value violates unique constraint /, '23505'],
  [/^no partition of relation .* found for row/, '23514'],
  [/^new row for relation .* violates partition constraint/, '23514'],
  [/^null value in column .* violates not-null constraint/, '23502'],
  [/^new row for relation .* violates check constraint/, '23514'],
];

/** The SQLSTATE of a refusal, whatever stands between us and the server that refused. */
export function stateOf(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code !== 'XX000' || !(error instanceof Error)) return code;
  return OF_NODES.find(([words]) => words.test(error.message))?.[1] ?? code;
}

export function isRefusal(error: unknown): boolean {
  return !(error instanceof Fault) && REFUSED.test(stateOf(error) ?? '');
}
