// A check on every message of a monitored server before the driver sees it. Pure. Guards: the driver only ever gets
// whole, well-formed messages; one that lies about its length, is of no known kind, or makes a reply too large is an
// error of that connection. (The driver itself trusts the server: a truncated ErrorResponse would spin it forever, a
// large length would make it buffer without end.)

/** A reply costs its bytes, and more for each row, since a row in memory is larger than on the wire. */
const ROW_COST = 64;
const HEADER = 5;
const DATA_ROW = 'D'.charCodeAt(0);
const ROW_DESCRIPTION = 'T'.charCodeAt(0);

export class WireError extends Error {
  readonly reason: 'garbage' | 'too_large';

  constructor(reason: 'garbage' | 'too_large') {
    super(reason);
    this.name = 'WireError';
    this.reason = reason;
  }
}

function garbage(): never {
  throw new WireError('garbage');
}

/** The position after the text that starts at `start`, which must end before `end`. */
function afterText(buffer: Buffer, start: number, end: number): number {
  const zero = buffer.indexOf(0, start);
  if (zero === -1 || zero >= end) garbage();
  return zero + 1;
}

function afterTexts(buffer: Buffer, [start, end]: Span, count: number): void {
  let at = start;
  for (let index = 0; index < count; index += 1) at = afterText(buffer, at, end);
}

/** From the first byte of a message's body to the first byte after it. */
type Span = readonly [start: number, end: number];

function needs(span: Span, bytes: number): void {
  if (span[1] - span[0] < bytes) garbage();
}

function exactly(span: Span, bytes: number): void {
  if (span[1] - span[0] !== bytes) garbage();
}

function checkNotice(buffer: Buffer, [start, end]: Span): void {
  let at = start;
  for (;;) {
    if (at >= end) garbage();
    if (buffer[at] === 0) return;
    at = afterText(buffer, at + 1, end);
  }
}

function checkRowDescription(buffer: Buffer, span: Span): number {
  needs(span, 2);
  const fields = buffer.readInt16BE(span[0]);
  if (fields < 0) garbage();
  let at = span[0] + 2;
  for (let index = 0; index < fields; index += 1) at = afterText(buffer, at, span[1]) + 18;
  if (at !== span[1]) garbage();
  return fields;
}

function checkDataRow(buffer: Buffer, span: Span, fields: number): void {
  needs(span, 2);
  if (buffer.readInt16BE(span[0]) !== fields) garbage();
  let at = span[0] + 2;
  for (let index = 0; index < fields; index += 1) {
    if (at + 4 > span[1]) garbage();
    const length = buffer.readInt32BE(at);
    if (length < -1) garbage();
    at += 4 + Math.max(length, 0);
  }
  if (at !== span[1]) garbage();
}

const AUTHENTICATION_SASL = 10;

function checkAuthentication(buffer: Buffer, span: Span): void {
  needs(span, 4);
  if (buffer.readInt32BE(span[0]) !== AUTHENTICATION_SASL) return;
  let at = span[0] + 4;
  for (;;) {
    const next = afterText(buffer, at, span[1]);
    if (next === at + 1) return;
    at = next;
  }
}

/** A count of two bytes at `countAt`, followed by that many parts of `size` bytes. */
function checkCounted(countAt: number, size: number): Check {
  return (buffer, span) => {
    needs(span, countAt + 2);
    const count = buffer.readInt16BE(span[0] + countAt);
    if (count < 0) garbage();
    exactly(span, countAt + 2 + count * size);
  };
}

function checkNotification(buffer: Buffer, span: Span): void {
  needs(span, 4);
  afterTexts(buffer, [span[0] + 4, span[1]], 2);
}

type Check = (buffer: Buffer, span: Span) => void;
const bare: Check = (_, span) => exactly(span, 0);
const copyFormats = checkCounted(1, 2);

/** Every other kind of message by its letter, and what its body must look like. */
const CHECKS = new Map<number, Check>(
  Object.entries<Check>({
    1: bare,
    2: bare,
    3: bare,
    A: checkNotification,
    C: (buffer, span) => afterTexts(buffer, span, 1),
    E: checkNotice,
    G: copyFormats,
    H: copyFormats,
    I: bare,
    K: (_, span) => needs(span, 8),
    N: checkNotice,
    R: checkAuthentication,
    S: (buffer, span) => afterTexts(buffer, span, 2),
    W: copyFormats,
    Z: (_, span) => exactly(span, 1),
    c: bare,
    d: () => {},
    n: bare,
    s: bare,
    t: checkCounted(0, 4),
  }).map(([letter, check]) => [letter.charCodeAt(0), check]),
);

function known(kind: number): boolean {
  return kind === DATA_ROW || kind === ROW_DESCRIPTION || CHECKS.has(kind);
}

/** All that a server says until the session is ready; anything else that listens on a port says something else. */
const WHILE_SIGNING_IN = new Set([...'ENRSKZ'].map((letter) => letter.charCodeAt(0)));
const LONGEST_WHILE_SIGNING_IN = 64 * 1024;
const READY = 'Z'.charCodeAt(0);

export class WireGuard {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #have = 0;
  #need = HEADER;
  #fields = 0;
  #cost = 0;
  #ready = false;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** A reply has ended: the next one starts with a full allowance. */
  reset(): void {
    this.#cost = 0;
  }

  /** Takes what arrived; answers the whole messages so far, checked, or undefined when there is none yet. */
  push(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#need) return undefined;
    const buffer = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#have);
    const taken = this.#scan(buffer);
    const rest = buffer.subarray(taken);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#have = rest.length;
    return taken === 0 ? undefined : buffer.subarray(0, taken);
  }

  #scan(buffer: Buffer): number {
    let at = 0;
    this.#need = HEADER;
    while (buffer.length - at >= HEADER) {
      const kind = buffer[at] ?? 0;
      const length = buffer.readInt32BE(at + 1);
      if (!known(kind) || length < 4) garbage();
      if (!this.#ready && (!WHILE_SIGNING_IN.has(kind) || length > LONGEST_WHILE_SIGNING_IN)) garbage();
      if (this.#cost + length > this.#limit) throw new WireError('too_large');
      if (buffer.length - at < length + 1) {
        this.#need = length + 1;
        break;
      }
      this.#check(buffer, kind, [at + HEADER, at + 1 + length]);
      this.#cost += length + 1;
      at += length + 1;
    }
    return at;
  }

  #check(buffer: Buffer, kind: number, span: Span): void {
    if (kind === DATA_ROW) {
      this.#cost += ROW_COST;
      checkDataRow(buffer, span, this.#fields);
    } else if (kind === ROW_DESCRIPTION) {
      this.#fields = checkRowDescription(buffer, span);
    } else {
      CHECKS.get(kind)?.(buffer, span);
      if (kind === READY) this.#ready = true;
    }
  }
}
