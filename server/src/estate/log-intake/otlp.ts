// Records of logs as OTLP carries them, whichever of its encodings they came in. Pure data. Guards: what is nested deeper, or more than is
// accepted, is refused before it takes memory.

export type OtlpValue =
  | string
  | number
  | boolean
  | null
  | readonly OtlpValue[]
  | { readonly [key: string]: OtlpValue };

export type OtlpAttributes = { readonly [key: string]: OtlpValue };

export interface OtlpRecord {
  /** Milliseconds since the epoch; NaN where the client says none. */
  readonly time: number;
  readonly severity: string;
  readonly body: OtlpValue;
  readonly attributes: OtlpAttributes;
}

/** Records of one resource, which is a server. */
export interface OtlpGroup {
  /** Of its bytes as they were sent: the same when it is sent again. */
  readonly hash: Buffer;
  readonly resource: OtlpAttributes;
  readonly records: readonly OtlpRecord[];
}

/** A request that is none of OTLP, in words. */
export class BadOtlp extends Error {}

export class TooManyRecords extends Error {}

export const MOST_RECORDS = 20_000;
/** Values within values; what is deeper is left out. */
export const DEEPEST = 16;

const NANOS_IN_MS = 1_000_000n;

/** Of the first that is set. */
export function timeOf(...nanos: readonly bigint[]): number {
  const found = nanos.find((one) => one > 0n);
  return found === undefined ? Number.NaN : Number(found / NANOS_IN_MS);
}

/** Counts the records of a request. */
export class RecordCount {
  #records = 0;

  add(): void {
    this.#records += 1;
    if (this.#records > MOST_RECORDS) throw new TooManyRecords();
  }
}
