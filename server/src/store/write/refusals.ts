// What the datastore says of data that it refuses: trying the same again would never help. Pure.
import { errorCode } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';

/** SQLSTATE classes: cardinality, data, integrity, program limits. */
const REFUSED = /^(21|22|23|54)/;

export function isRefusal(error: unknown): boolean {
  return !(error instanceof Fault) && REFUSED.test(errorCode(error) ?? '');
}
