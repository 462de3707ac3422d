// Whatever was thrown becomes one public sentence and a status. What a client reads never holds SQL, a stack or
// another server's words; the cause goes to the log.
import type { Operation } from '../kernel/contract.ts';
import { isUnreachable } from '../kernel/db.ts';
import { type ConstraintFaults, errorCode, Fault, type FaultCode } from '../kernel/errors.ts';

const INTERNAL = 'internal error';
const AWAY =
  'The datastore cannot be reached, so the stored information cannot be read. Try again in a moment.';

const BY_STATE: Record<string, readonly [FaultCode, string]> = {
  '23505': ['conflict', 'Something of that name exists already.'],
  '23503': ['not_found', 'Something that the request refers to does not exist.'],
  '23514': ['bad_request', 'The request breaks a rule of the stored data.'],
  '57014': [
    'unavailable',
    'The datastore took too long and the request was cancelled. Try again in a moment.',
  ],
  '53100': [
    'unavailable',
    'The disk of the datastore is full, so nothing can be stored. Free space there, then try again.',
  ],
  '25006': [
    'unavailable',
    'The datastore only reads now, as a standby does, so nothing can be stored. Name the primary in datastore_url.',
  ],
  '40001': ['unavailable', 'The request met another one at the same time. Try again.'],
  '40P01': ['unavailable', 'The request met another one at the same time. Try again.'],
};

function constraintOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('constraint' in error)) return '';
  return typeof error.constraint === 'string' ? error.constraint : '';
}

function fromDatastore(error: unknown, constraints: ConstraintFaults): Fault | undefined {
  if (isUnreachable(error)) return new Fault('unavailable', AWAY, { cause: error });
  const byState = BY_STATE[errorCode(error) ?? ''];
  if (!byState) return undefined;
  const [code, sentence] = constraints[constraintOf(error)] ?? byState;
  return new Fault(code, sentence, { cause: error });
}

/** Refusals of the HTTP framework itself, by its status. */
const FRAMEWORK: Record<number, readonly [FaultCode, string]> = {
  400: ['bad_request', 'The request is malformed.'],
  413: ['too_large', 'The request body is too large.'],
  414: ['bad_request', 'The URL is too long.'],
  415: ['unsupported_media_type', 'The Content-Type must be application/json.'],
};

function fromFramework(error: unknown): Fault | undefined {
  if (!errorCode(error)?.startsWith('FST_')) return undefined;
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const known = FRAMEWORK[Number(error.statusCode)];
  return known ? new Fault(known[0], known[1], { cause: error }) : undefined;
}

function faultOf(error: unknown, constraints: ConstraintFaults): Fault {
  if (error instanceof Fault) return error;
  return (
    fromDatastore(error, constraints) ??
    fromFramework(error) ??
    new Fault('internal', INTERNAL, { cause: error })
  );
}

/** The fault to answer with; operations that never answer 503 say in a 500 that the datastore is away. */
export function toFault(error: unknown, constraints: ConstraintFaults, operation?: Operation): Fault {
  const fault = faultOf(error, constraints);
  if (fault.code === 'unavailable' && operation?.datastoreFaultIs500)
    return new Fault('internal', AWAY, { cause: error });
  return fault;
}
