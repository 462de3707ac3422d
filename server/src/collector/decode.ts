// From a server's answer to rows. Guards: what comes back is exactly the declared columns in the declared types and
// within the caps, whoever the server is; anything else is a failure of that run. A large answer is read in turns with
// all other work.
import { cutText } from '../kernel/inert-text.ts';
import { yieldIfBusy } from '../kernel/scheduler.ts';
import { standIn, uncut } from '../monitored/foreign-text.ts';
import { type WireFields, WireRow } from '../monitored/wire-rows.ts';
import { UNWATCHED, unwatchedWords } from '../probes/most-important.ts';
import type { Column, Probe } from '../probes/types.ts';
import {
  type Digests,
  type ReadRow,
  type Row,
  type RowDecoder,
  UnchangedRow,
} from '../store/layout/types.ts';
import { CONTINUITY } from './probe.queries.ts';
import { rowOf } from './row-shape.ts';
import { RowsBefore } from './rows-before.ts';
import { Scrubber } from './scrub.ts';
import { byOurs, isAsTold } from './server-clock.ts';

/** The server's answer does not fit the declaration; the message is a plain sentence without its values. */
export class BadAnswer extends Error {}

const INTEGER = /^-?\d{1,20}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const MAX_ELEMENTS = 1000;
const MAX_DEPTH = 8;
const MOST_CONTINUITY = 100;
const NO_NAMES = new Scrubber();
/** So many values are read before others get their turn. */
const CELLS_AT_ONCE = 2000;

/** Undefined: the value is not of that type. */
type Reader = (value: unknown, maxText: number) => unknown;

/** Whatever keeps JSON walks it recursively, so its depth is limited here. */
function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

const readTexts: Reader = (value, maxText) => {
  if (!Array.isArray(value)) return undefined;
  const texts = value.slice(0, MAX_ELEMENTS);
  if (!texts.every((text) => text === null || typeof text === 'string')) return undefined;
  return texts.map((text) => text?.slice(0, maxText) ?? null);
};

const readInteger: Reader = (value) => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && INTEGER.test(value) ? value : undefined;
};

const READERS = {
  text: (value, maxText) => (typeof value === 'string' ? cutText(value, maxText) : undefined),
  integer: readInteger,
  bigint: readInteger,
  // NaN and infinity are no measurements.
  'double precision': (value) =>
    typeof value === 'number' ? (Number.isFinite(value) ? value : null) : undefined,
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  // Infinity, BC and years beyond 9999 are no moments.
  'timestamp with time zone': (value) =>
    typeof value === 'string' ? (TIME.test(value) ? value : null) : undefined,
  'text[]': readTexts,
  jsonb: (value) => (isShallow(value) ? value : undefined),
} as const satisfies Record<Column['type'], Reader>;

interface How {
  readonly maxText: number;
  readonly scrubber: Scrubber;
  /** How far the server's clock is ahead. */
  readonly ahead_ms: number;
  /** The parameter that the value belongs to, where a column names it. */
  readonly parameter?: unknown;
}

/** A text as it may be kept. The statement cuts texts itself; what is longer all the same is cut before it is searched. */
function keptText(column: Column, text: string, { maxText, scrubber, parameter }: How): string {
  const scrubbed = column.scrub ? scrubber.statement(cutText(uncut(text), maxText)) : text;
  return typeof parameter === 'string' ? scrubber.parameter(parameter, scrubbed) : scrubbed;
}

function readValue(column: Column, sent: unknown, how: How): unknown {
  if (sent === null) return null;
  const value = typeof sent === 'string' ? keptText(column, sent, how) : sent;
  const read = READERS[column.type](value, how.maxText);
  if (column.kind === 'time' && typeof read === 'string' && how.ahead_ms !== 0 && !isAsTold(column.name))
    return byOurs(read, how.ahead_ms);
  if (read !== undefined) return read;
  throw new BadAnswer(`The server's answer has no ${column.type} in column ${column.name}.`);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
}

export interface Decoded {
  rows: ReadRow[];
  /** Of the values, about. */
  bytes: number;
  /** Of objects whose rows came raw; the next answer is compared with them. */
  digests?: Digests;
  /** Said when rows were cut off. */
  note?: string;
  is_cut?: true;
  continuity?: string;
}

/** Where the columns of a probe stand in an answer; undefined: in the order in which they are declared. */
type ColumnPositions = readonly number[] | undefined;

/** Hundreds of sessions get the same columns. */
const knownPlaces = new WeakMap<WireFields, Map<Probe, ColumnPositions>>();

function placesOf(probe: Probe, fields: WireFields): ColumnPositions {
  const own = knownPlaces.get(fields) ?? new Map<Probe, ColumnPositions>();
  knownPlaces.set(fields, own);
  if (own.has(probe)) return own.get(probe);
  const places = probe.columns.map(({ name }) => fields.indexOf(name));
  const isInOrder = places.every((place, index) => place === index);
  own.set(probe, isInOrder ? undefined : places);
  return own.get(probe);
}

/** A server may send what is no value of the type that it named: JSON that is none, an array that does not end. */
function cellsOf(row: WireRow): unknown[] {
  try {
    return row.values();
  } catch {
    throw new BadAnswer('The server sent a value that cannot be read.');
  }
}

type SentRow = Readonly<Record<string, unknown>> | WireRow;

/** What a row says of each column of the probe, as it came. */
function sentOf({ columns }: Probe, row: SentRow, places: ColumnPositions): readonly unknown[] {
  if (!(row instanceof WireRow)) return columns.map(({ name }) => row[name]);
  const cells = cellsOf(row);
  // An index below zero would be looked up as a name.
  return places ? places.map((place) => (place < 0 ? undefined : cells[place])) : cells;
}

const placeOf = ({ columns }: Probe, wanted: string) => columns.findIndex(({ name }) => name === wanted);

function decodeRow(probe: Probe, row: SentRow, how: How): { row: Row; bytes: number; foreign: number } {
  const { columns } = probe;
  let foreign = 0;
  const sent = sentOf(probe, row, row instanceof WireRow ? placesOf(probe, row.fields) : undefined);
  const values: unknown[] = [];
  let bytes = 0;
  for (const column of columns) {
    const index = values.length;
    const { parameter } = column;
    const named = parameter === undefined ? -1 : columns.findIndex((one) => one.name === parameter);
    const read = readValue(column, sent[index], named < 0 ? how : { ...how, parameter: sent[named] });
    const value =
      column.oid === undefined || typeof read !== 'string'
        ? read
        : standIn(read, sent[placeOf(probe, column.oid)]);
    if (value !== read) foreign += 1;
    bytes += sizeOf(value);
    values.push(value);
  }
  return { row: rowOf(probe, values), bytes, foreign };
}

/** Cells of unchanged rows are decoded one by one, by the same rules. */
function rowDecoder({ columns }: Probe, how: How): RowDecoder<WireRow> {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const value = (row: WireRow, name: string) => {
    const column = byName.get(name);
    if (!column) return undefined;
    const { parameter } = column;
    const own = parameter === undefined ? how : { ...how, parameter: row.cell(parameter) };
    return readValue(column, row.cell(name), own);
  };
  return { columns: [...byName.keys()], value };
}

/** Most objects are as they were: what is read of them is compared before it is read. */
const isCompared = ({ keeps, refine }: Probe) => keeps === 'objects' && refine === undefined;

/** Rows of one answer, one after the other. Those that came with the same bytes before fitted then, and do so now. */
class Decoder {
  readonly rows: ReadRow[] = [];
  readonly digests: number[] = [];
  bytes = 0;
  /** Names that are no text. */
  foreign = 0;
  readonly #probe: Probe;
  readonly #how: How;
  readonly #before: RowsBefore;
  #decoder: RowDecoder<WireRow> | undefined;
  readonly #isCompared: boolean;

  constructor(probe: Probe, { scrubber = NO_NAMES, known, ahead_ms = 0 }: DecodeOptions) {
    this.#probe = probe;
    this.#how = { maxText: probe.caps.maxText, scrubber, ahead_ms };
    this.#before = new RowsBefore(known);
    this.#isCompared = isCompared(probe);
  }

  take(sent: SentRow): void {
    if (sent instanceof WireRow && this.#isCompared) this.#takeCompared(sent);
    else this.#put(decodeRow(this.#probe, sent, this.#how));
  }

  #takeCompared(sent: WireRow): void {
    const digest = sent.digest();
    if (this.#before.has(digest)) {
      this.#decoder ??= rowDecoder(this.#probe, this.#how);
      this.#put({ row: new UnchangedRow(sent, this.#decoder), bytes: sent.bytes });
    } else this.#put(decodeRow(this.#probe, sent, this.#how));
    this.digests.push(digest);
  }

  #put({ row, bytes, foreign = 0 }: { row: ReadRow; bytes: number; foreign?: number }): void {
    this.bytes += bytes;
    this.foreign += foreign;
    const { maxBytes } = this.#probe.caps;
    if (this.bytes > maxBytes)
      throw new BadAnswer(`The server's answer is larger than ${maxBytes} bytes, the most for this probe.`);
    this.rows.push(row);
  }
}

const foreignWords = (count: number) =>
  `${count === 1 ? 'One name is' : `${count} names are`} in another encoding than UTF-8 and shown with the object id.`;

export interface DecodeOptions {
  readonly scrubber?: Scrubber | undefined;
  /** Digests of the rows of the answer before. */
  readonly known?: Digests | undefined;
  /** How far the server's clock is ahead of ours. */
  readonly ahead_ms?: number;
}

/** What the first row says of all. */
function continuityOf({ continuity }: Probe, [first]: readonly SentRow[]): { continuity?: string } {
  if (!continuity || !first) return {};
  const said = first instanceof WireRow ? first.cell(CONTINUITY) : first[CONTINUITY];
  return typeof said === 'string' ? { continuity: cutText(said, MOST_CONTINUITY) } : {};
}

/** What one of the rows says of all that are not among them. */
function unwatchedIn({ unwatched, caps }: Probe, answer: readonly SentRow[]): string | undefined {
  if (!unwatched) return undefined;
  for (const row of answer.length < caps.maxRows ? answer.slice(0, 1) : answer) {
    const said = row instanceof WireRow ? row.cell(UNWATCHED) : row[UNWATCHED];
    if (typeof said === 'string') return unwatchedWords(unwatched, said);
  }
  return undefined;
}

/** Where there is more than was kept or looked at. */
function cutOf(probe: Probe, answer: readonly SentRow[]): Pick<Decoded, 'is_cut' | 'note'> {
  const { maxRows } = probe.caps;
  const words = unwatchedIn(probe, answer);
  if (words !== undefined) return { note: words, ...(answer.length >= maxRows && { is_cut: true }) };
  if (answer.length <= maxRows) return {};
  return { is_cut: true, note: `There are more than ${maxRows} rows; the rest is not kept.` };
}

export async function decodeRows(
  probe: Probe,
  answer: readonly SentRow[],
  options: DecodeOptions = {},
): Promise<Decoded> {
  const { maxRows } = probe.caps;
  const rowsAtOnce = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, probe.columns.length)));
  const decoder = new Decoder(probe, options);
  for (const row of answer.slice(0, maxRows)) {
    if (decoder.rows.length % rowsAtOnce === rowsAtOnce - 1) await yieldIfBusy();
    decoder.take(row);
  }
  const { rows, bytes, digests, foreign } = decoder;
  const decoded = {
    rows,
    bytes,
    ...(digests.length > 0 && { digests: Float64Array.from(digests) }),
    ...continuityOf(probe, answer),
    ...(foreign > 0 && { note: foreignWords(foreign) }),
  };
  return { ...decoded, ...cutOf(probe, answer) };
}
