// The one error type of the request path. Its public message is all a client ever sees, as {"error": message};
// cause, SQLSTATE and stack go to the log together with the request id.

export type FaultCode =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'internal'
  | 'not_capable'
  | 'bad_gateway'
  | 'unavailable'
  | 'gateway_timeout';

const FAULT_STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  not_capable: 501,
  bad_gateway: 502,
  unavailable: 503,
  gateway_timeout: 504,
} as const satisfies Record<FaultCode, number>;

/** By constraint of the datastore: what to answer when a request breaks it. */
export type ConstraintFaults = Readonly<Record<string, readonly [code: FaultCode, sentence: string]>>;

export interface FaultOptions {
  cause?: unknown;
  /** Whole seconds for the Retry-After header; only with `too_many_requests`. */
  retryAfterSeconds?: number;
  /** The password was right, and a code is to follow: a reply header says so. */
  needsCode?: true;
  /** Nothing was wrong so far: the first step of signing in was right, and the code is asked for. */
  asksCode?: true;
  /** What was refused to whom, for the audit log; never sent. */
  about?: FaultSubject;
  /** WWW-Authenticate, where it says more than `Bearer`. */
  challenge?: string | undefined;
}

export interface FaultSubject {
  kind: string;
  id: number;
  name: string;
}

export class Fault extends Error {
  readonly code: FaultCode;
  readonly retryAfterSeconds: number | undefined;
  readonly about: FaultSubject | undefined;
  readonly needsCode: boolean;
  readonly asksCode: boolean;
  readonly challenge: string | undefined;

  constructor(code: FaultCode, publicMessage: string, options: FaultOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.about = options.about;
    this.needsCode = options.needsCode === true;
    this.asksCode = options.asksCode === true;
    this.challenge = options.challenge;
  }

  get status(): number {
    return FAULT_STATUS[this.code];
  }
}

/** A mistake of the person who starts the program: printed as one sentence, without a stack, with exit code 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The SQLSTATE, or the code of the system or a library, of whatever was thrown, if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
