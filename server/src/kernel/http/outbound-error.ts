// What can go wrong with a call to somebody else's server, in four words. Invariant: nothing that server wrote, and
// nothing that was sent to it, is ever in here (no message, no cause), so that no key can reach a log or a reply.

export type FailureKind = 'timeout' | 'unreachable' | 'rejected' | 'failed';

export interface FailureDetails {
  /** HTTP status of the answer, when there was one. */
  status?: number;
  /** Socket or DNS error code, e.g. ECONNREFUSED. */
  code?: string;
  /** The connection broke before the answer was complete. */
  dropped?: boolean;
  /** What the other side asked for with Retry-After, in milliseconds. */
  retry_after_ms?: number;
}

export class OutboundError extends Error {
  readonly kind: FailureKind;
  readonly details: FailureDetails;

  constructor(kind: FailureKind, details: FailureDetails = {}) {
    super(`outbound call: ${[kind, details.status, details.code].filter(Boolean).join(' ')}`);
    this.name = 'OutboundError';
    this.kind = kind;
    this.details = details;
  }

  /** True for a dropped connection and for "try again later": worth one more try. */
  get isPassing(): boolean {
    const { status, dropped } = this.details;
    return dropped === true || status === 429 || status === 503;
  }
}
