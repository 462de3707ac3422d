// What each message of a server must look like inside. Pure. Guards: a message that lies about its length or its parts
// is an error before the driver reads it. (The driver itself trusts the server: a truncated ErrorResponse would spin it
// forever, a large length would make it buffer without end.)

export class WireError extends Error {
  readonly reason: 'garbage' | 'too_large';
  /** Which limit was passed, in words. */
  readonly limit: string | undefined;
  /** The messages that came with it, and were well. */
  before: Buffer | undefined;

  constructor(reason: 'garbage' | 'too_large', limit?: string) {
    super(limit === undefined ? reason : `${reason}: ${limit}`);
    this.name = 'WireError';
    this.reason = reason;
    this.limit = limit;
  }
}

export function garbage(): never {
  throw new WireError('garbage');
}

/** From the first byte of a message's body to the first byte after it. */
export type Span = readonly [start: number, end: number];

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

/** Answers how many columns the rows will have, of which there may be so many. */
export function checkRowDescription(buffer: Buffer, span: Span, mostColumns: number): number {
  needs(span, 2);
  const fields = buffer.readInt16BE(span[0]);
  if (fields < 0) garbage();
  if (fields > mostColumns) throw new WireError('too_large', `more than ${mostColumns} columns`);
  let at = span[0] + 2;
  for (let index = 0; index < fields; index += 1) at = afterText(buffer, at, span[1]) + 18;
  if (at !== span[1]) garbage();
  return fields;
}

export function checkDataRow(buffer: Buffer, span: Span, fields: number): void {
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

function checkNotification(buffer: Buffer, span: Span): void {
  needs(span, 4);
  afterTexts(buffer, [span[0] + 4, span[1]], 2);
}

type Check = (buffer: Buffer, span: Span) => void;
const bare: Check = (_, span) => exactly(span, 0);

export const code = (letter: string) => letter.charCodeAt(0);

/** Every other kind of message that we may be sent by its letter, and what its body must look like. */
export const CHECKS: ReadonlyMap<number, Check> = new Map(
  Object.entries<Check>({
    1: bare,
    2: bare,
    A: checkNotification,
    C: (buffer, span) => afterTexts(buffer, span, 1),
    E: checkNotice,
    I: bare,
    K: (_, span) => needs(span, 8),
    N: checkNotice,
    R: checkAuthentication,
    S: (buffer, span) => afterTexts(buffer, span, 2),
    Z: (_, span) => exactly(span, 1),
    n: bare,
  }).map(([letter, check]) => [code(letter), check]),
);
