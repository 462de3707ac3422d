// A check on every message of a monitored server before the driver sees it. Pure. Guards: the driver only ever gets
// whole, well-formed messages that belong to what was asked, in the order in which they may come; columns, rows, cells
// and bytes are counted while the messages are framed, so that what is too large is an error of that connection before
// any row is made of it.
import type { ReplyLimits } from './settings.ts';
import { CHECKS, checkDataRow, checkRowDescription, code, garbage, WireError } from './wire-messages.ts';
import type { RowSpan } from './wire-rows.ts';

/** A reply costs its bytes, and more for each row and cell, since in memory they are larger than on the wire. */
const ROW_COST = 64;
const CELL_COST = 16;
/** Wider than anything that is asked for here. */
const MOST_COLUMNS = 128;
const HEADER = 5;
const DATA_ROW = code('D');
const ROW_DESCRIPTION = code('T');
const READY = code('Z');
const ERROR = code('E');
const AUTHENTICATION = code('R');

const setOf = (letters: string) => new Set([...letters].map(code));
/** All that a server says until the session is ready; anything else that listens on a port says something else. */
const WHILE_SIGNING_IN = setOf('ENRSKZ');
const LONGEST_WHILE_SIGNING_IN = 64 * 1024;
const MOST_WHILE_SIGNING_IN = 256 * 1024;
/** SCRAM needs four. Each of them may make us compute. */
const MOST_AUTHENTICATIONS = 8;
/** What may come at any time, and how much of it between two statements. */
const UNASKED = setOf('ENSA');
const MOST_UNASKED = 64 * 1024;

/** How far a reply has come once these were said; each may come only where it brings the reply further. */
const STAGES = new Map(
  Object.entries({ 1: 1, 2: 2, T: 3, n: 3, C: 4, I: 4 }).map(([letter, stage]) => [code(letter), stage]),
);
const BOUND = 2;
const DESCRIBED = 3;
const COMPLETE = 4;
const FAILED = 5;

export interface Expected extends ReplyLimits {
  /** Its rows are not for the driver. */
  readonly isRaw?: boolean | undefined;
  /** How many columns its rows have: the server was not asked to describe them. */
  readonly known?: number | undefined;
  /** How many statements of ours go before it in its transaction, whose answers nobody reads. */
  readonly before?: number | undefined;
}

/** The answer to one statement, as far as it has come. */
export class Reply {
  /** How many columns its rows have, where they are known and not described again. */
  readonly known: number | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly bytes: number;
  stage = 0;
  /** Statements before it that are not answered yet. */
  before: number;
  /** Undefined: no rows were announced. */
  fields: number | undefined;
  rowsSeen = 0;
  bytesSeen = 0;
  /** About what it takes in memory. */
  cost = 0;
  /** Its rows as they came, where they are not for the driver; what was freed holds none any more. */
  raw: RowSpan[] | undefined;
  #free: (() => void) | undefined;

  constructor(limits: Expected, free: () => void) {
    this.raw = limits.isRaw === true ? [] : undefined;
    this.known = limits.known;
    this.before = limits.before ?? 0;
    this.fields = limits.known;
    this.columns = limits.columns ?? MOST_COLUMNS;
    this.rows = limits.rows ?? Number.POSITIVE_INFINITY;
    this.bytes = limits.bytes ?? Number.POSITIVE_INFINITY;
    this.#free = free;
  }

  /** Nothing holds its rows any more. */
  free(): void {
    this.#free?.();
    this.#free = undefined;
    if (this.raw) this.raw = [];
  }
}

const sizeInWords = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${Math.floor(bytes / (1024 * 1024))} MB`;

const tooManyBytes = (limit: number) => new WireError('too_large', `more than ${sizeInWords(limit)}`);
/** Of an answer whose rows somebody takes as they are the driver only has to know what it prepared and when it ended. */
const OF_NO_INTEREST = setOf('2DnCI');
/** What comes of the statements before a statement: parsed, bound, a row that says nothing, and done. */
const BEFORE = setOf('12DC');
const DONE = code('C');
const LONGEST_BEFORE = 256;

/** What of the messages in a buffer goes on to the driver. */
class Passed {
  readonly #buffer: Buffer;
  readonly #pieces: Buffer[] = [];
  #from = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  skip(from: number, to: number): void {
    if (from > this.#from) this.#pieces.push(this.#buffer.subarray(this.#from, from));
    this.#from = to;
  }

  /** All up to there; undefined: nothing. */
  until(end: number): Buffer | undefined {
    this.skip(end, end);
    return this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : this.#pieces[0];
  }
}

export class WireGuard {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #have = 0;
  #need = HEADER;
  #ready = false;
  #authentications = 0;
  /** Said without being asked since the last statement; while signing in, everything. */
  #unasked = 0;
  #kept = 0;
  /** Statements whose replies have not ended, in the order in which they were sent. */
  readonly #asked: Reply[] = [];

  /** `limitBytes` is what one reply may cost, whatever its statement allows. */
  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** A statement is sent: its reply comes after those of all that were sent before. */
  expect(limits: Expected = {}): Reply {
    const reply: Reply = new Reply(limits, () => {
      this.#kept -= reply.cost;
      reply.cost = 0;
    });
    this.#asked.push(reply);
    return reply;
  }

  /** About what is held in memory of this connection: what is not whole yet, and replies that were not freed. */
  get held(): number {
    return this.#have + this.#kept;
  }

  /** Whether a reply has begun and not ended. */
  get isReceiving(): boolean {
    return this.#have > 0 || (this.#asked[0]?.bytesSeen ?? 0) > 0;
  }

  /**
   * Takes what arrived; answers the whole messages so far, checked, or undefined when there is none yet. Throws a
   * WireError, with the messages before it, at the first one that is wrong.
   */
  push(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#need) return undefined;
    const buffer = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#have);
    const passed = new Passed(buffer);
    const taken = this.#scan(buffer, passed);
    const rest = buffer.subarray(taken);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#have = rest.length;
    return passed.until(taken);
  }

  #scan(buffer: Buffer, passed: Passed): number {
    let at = 0;
    this.#need = HEADER;
    try {
      while (buffer.length - at >= HEADER) {
        const length = this.#scanOne(buffer, at, passed);
        if (length === undefined) break;
        at += length;
      }
    } catch (error) {
      if (error instanceof WireError) error.before = passed.until(at);
      throw error;
    }
    return at;
  }

  /** The length of the message that begins there; undefined when it is not whole yet. */
  #scanOne(buffer: Buffer, at: number, passed: Passed): number | undefined {
    const kind = buffer[at] ?? 0;
    const length = buffer.readInt32BE(at + 1);
    const reply = this.#allow(kind, length);
    this.#need = HEADER;
    if (buffer.length - at < length + 1) {
      this.#need = length + 1;
      return undefined;
    }
    const isBefore = reply !== undefined && reply.before > 0 && BEFORE.has(kind);
    if (isBefore) this.#takeBefore(buffer, { kind, at, length, reply });
    else this.#take(buffer, { kind, at, length, reply });
    if (isBefore) passed.skip(at, at + 1 + length);
    else if (reply?.raw) {
      if (kind === DATA_ROW) reply.raw.push({ buffer, from: at + HEADER + 2, to: at + 1 + length });
      if (OF_NO_INTEREST.has(kind)) passed.skip(at, at + 1 + length);
    }
    return length + 1;
  }

  /** Judges a message by its header alone; answers the reply that it is part of. */
  #allow(kind: number, length: number): Reply | undefined {
    if (length < 4) garbage();
    if (!this.#ready) {
      const isLong = length > LONGEST_WHILE_SIGNING_IN;
      // What has asked for a password speaks the protocol.
      if (isLong && this.#authentications > 0) throw tooManyBytes(LONGEST_WHILE_SIGNING_IN);
      if (isLong || !WHILE_SIGNING_IN.has(kind)) garbage();
      return this.#allowUnasked(length, MOST_WHILE_SIGNING_IN);
    }
    const [reply] = this.#asked;
    if (!reply) {
      if (!UNASKED.has(kind)) garbage();
      return this.#allowUnasked(length, Math.min(MOST_UNASKED, this.#limit));
    }
    if (reply.before > 0 && BEFORE.has(kind)) {
      if (length > LONGEST_BEFORE || (reply.stage === 0 && kind === DATA_ROW)) garbage();
      return reply;
    }
    this.#allowStage(kind, reply);
    if (reply.bytesSeen + length > reply.bytes) throw tooManyBytes(reply.bytes);
    if (reply.cost + length > this.#limit) throw tooManyBytes(this.#limit);
    return reply;
  }

  #allowUnasked(length: number, most: number): undefined {
    if (this.#unasked + length > most) throw tooManyBytes(most);
  }

  #allowStage(kind: number, reply: Reply): void {
    if (UNASKED.has(kind)) return;
    if (kind === READY) {
      if (reply.stage < COMPLETE) garbage();
    } else if (kind === DATA_ROW) {
      const from = reply.known === undefined ? DESCRIBED : BOUND;
      if (reply.stage !== from || reply.fields === undefined) garbage();
      if (reply.rowsSeen >= reply.rows) throw new WireError('too_large', `more than ${reply.rows} rows`);
    } else if ((STAGES.get(kind) ?? 0) <= reply.stage) garbage();
    else if (kind === ROW_DESCRIPTION && reply.known !== undefined) garbage();
  }

  #take(
    buffer: Buffer,
    message: { kind: number; at: number; length: number; reply: Reply | undefined },
  ): void {
    const { kind, at, length, reply } = message;
    const span = [at + HEADER, at + 1 + length] as const;
    if (!reply) {
      this.#unasked += length + 1;
      if (kind === AUTHENTICATION) this.#authentications += 1;
      if (this.#authentications > MOST_AUTHENTICATIONS) garbage();
    }
    if (kind === DATA_ROW) checkDataRow(buffer, span, reply?.fields ?? 0);
    else if (kind !== ROW_DESCRIPTION) CHECKS.get(kind)?.(buffer, span);
    else if (reply) reply.fields = checkRowDescription(buffer, span, reply.columns);
    if (reply) this.#count(kind, length + 1, reply);
    if (kind === READY) this.#ended();
  }

  /** One row at most is between the beginning and the end of each. */
  #takeBefore(
    buffer: Buffer,
    { kind, at, length, reply }: { kind: number; at: number; length: number; reply: Reply },
  ): void {
    if (kind === DATA_ROW) checkDataRow(buffer, [at + HEADER, at + 1 + length], 1);
    else CHECKS.get(kind)?.(buffer, [at + HEADER, at + 1 + length]);
    const stage = kind === DATA_ROW ? DESCRIBED : (STAGES.get(kind) ?? 0);
    if (stage <= reply.stage) garbage();
    reply.stage = kind === DONE ? 0 : stage;
    if (kind === DONE) reply.before -= 1;
  }

  #count(kind: number, bytes: number, reply: Reply): void {
    const cost = kind === DATA_ROW ? bytes + ROW_COST + CELL_COST * (reply.fields ?? 0) : bytes;
    reply.bytesSeen += bytes;
    reply.cost += cost;
    this.#kept += cost;
    if (kind === DATA_ROW) reply.rowsSeen += 1;
    reply.stage = kind === ERROR ? FAILED : (STAGES.get(kind) ?? reply.stage);
  }

  #ended(): void {
    if (this.#ready) this.#asked.shift();
    this.#ready = true;
    this.#unasked = 0;
  }
}
