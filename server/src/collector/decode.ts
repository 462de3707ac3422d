// From a server's answer to rows. Guards: what comes back is exactly the declared columns in the declared types and
// within the caps, whoever the server is; anything else is a failure of that run. A large answer is read in turns with
// all other work.
import { yieldIfBusy } from '../kernel/scheduler.ts';
import { type WireFields, WireRow } from '../kernel/target/wire-rows.ts';
import type { Column, Probe } from '../probes/types.ts';
import type { Digests, Row } from '../store/layout/types.ts';
import { KnownRows, knownRow, type RowReader } from './known-row.ts';
import { Scrubber } from './scrub.ts';

/** The server's answer does not fit the declaration; the message is a plain sentence without its values. */
export class BadAnswer extends Error {}

const INTEGER = /^-?\d{1,20}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const MAX_ELEMENTS = 1000;
const MAX_DEPTH = 8;
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
  text: (value, maxText) => (typeof value === 'string' ? value.slice(0, maxText) : undefined),
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

/** A value as it came, and that of the column that names its parameter, where there is one. */
interface Sent {
  readonly value: unknown;
  readonly parameter: unknown;
}

interface Limits {
  readonly maxText: number;
  readonly scrubber: Scrubber;
}

/** A text as it may be kept. The statement cuts texts itself; what is longer all the same is cut before it is searched. */
function keptText(column: Column, { text, parameter }: { text: string; parameter: unknown }, limits: Limits) {
  const { maxText, scrubber } = limits;
  const scrubbed = column.scrub ? scrubber.statement(text.slice(0, maxText)) : text;
  return typeof parameter === 'string' ? scrubber.parameter(parameter, scrubbed) : scrubbed;
}

function readValue(column: Column, { value: sent, parameter }: Sent, limits: Limits): unknown {
  if (sent === null) return null;
  const value = typeof sent === 'string' ? keptText(column, { text: sent, parameter }, limits) : sent;
  const read = READERS[column.type](value, limits.maxText);
  if (read !== undefined) return read;
  throw new BadAnswer(`The server's answer has no ${column.type} in column ${column.name}.`);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
}

export interface Decoded {
  rows: Row[];
  /** Of the values, about. */
  bytes: number;
  /** Of objects whose rows came raw; the next answer is compared with them. */
  digests?: Digests;
  /** Said when rows were cut off. */
  note?: string;
  is_cut?: true;
}

/** Where the columns of a probe stand in an answer, and those that name the parameters; -1: nowhere. */
interface Places {
  readonly values: readonly number[];
  readonly parameters: readonly number[];
}

/** Hundreds of sessions get the same columns. */
const knownPlaces = new WeakMap<WireFields, WeakMap<Probe, Places>>();

function placesOf(probe: Probe, fields: WireFields): Places {
  const own = knownPlaces.get(fields) ?? new WeakMap<Probe, Places>();
  knownPlaces.set(fields, own);
  const places = own.get(probe) ?? {
    values: probe.columns.map(({ name }) => fields.indexOf(name)),
    parameters: probe.columns.map(({ parameter }) =>
      parameter === undefined ? -1 : fields.indexOf(parameter),
    ),
  };
  own.set(probe, places);
  return places;
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

/** What stands in a row for each column of the probe. */
function sentOf(probe: Probe, row: SentRow): (column: Column, index: number) => Sent {
  if (!(row instanceof WireRow))
    return ({ name, parameter }) => ({
      value: row[name],
      parameter: parameter === undefined ? undefined : row[parameter],
    });
  const { values, parameters } = placesOf(probe, row.fields);
  const cells = cellsOf(row);
  return (_, index) => ({ value: cells[values[index] ?? -1], parameter: cells[parameters[index] ?? -1] });
}

function decodeRow(probe: Probe, row: SentRow, scrubber: Scrubber): { row: Row; bytes: number } {
  const decoded: Record<string, unknown> = {};
  const limits = { maxText: probe.caps.maxText, scrubber };
  const sent = sentOf(probe, row);
  let bytes = 0;
  for (const [index, column] of probe.columns.entries()) {
    const value = readValue(column, sent(column, index), limits);
    bytes += sizeOf(value);
    decoded[column.name] = value;
  }
  return { row: decoded, bytes };
}

/** Cells of known rows are read alone, by the same rules. */
function readerOf({ columns, caps }: Probe, scrubber: Scrubber): RowReader {
  const limits = { maxText: caps.maxText, scrubber };
  const value = (column: Column, row: WireRow) => {
    const parameter = column.parameter === undefined ? undefined : row.cell(column.parameter);
    return readValue(column, { value: row.cell(column.name), parameter }, limits);
  };
  return { columns: new Map(columns.map((column) => [column.name, column])), value };
}

/** Most objects are as they were: what is read of them is compared before it is read. */
const isCompared = ({ keeps, refine }: Probe) => keeps === 'objects' && refine === undefined;

/** Rows of one answer, one after the other. Those that came with the same bytes before fitted then, and do so now. */
class Decoder {
  readonly rows: Row[] = [];
  readonly digests: number[] = [];
  bytes = 0;
  readonly #probe: Probe;
  readonly #scrubber: Scrubber;
  readonly #known: KnownRows;
  #reader: RowReader | undefined;
  readonly #isCompared: boolean;

  constructor(probe: Probe, { scrubber = NO_NAMES, known }: DecodeOptions) {
    this.#probe = probe;
    this.#scrubber = scrubber;
    this.#known = new KnownRows(known);
    this.#isCompared = isCompared(probe);
  }

  take(sent: SentRow): void {
    if (sent instanceof WireRow && this.#isCompared) this.#takeKnown(sent);
    else this.#put(decodeRow(this.#probe, sent, this.#scrubber));
  }

  #takeKnown(sent: WireRow): void {
    const digest = sent.digest();
    if (this.#known.has(digest)) {
      this.#reader ??= readerOf(this.#probe, this.#scrubber);
      this.#put({ row: knownRow(sent, this.#reader), bytes: sent.bytes });
    } else this.#put(decodeRow(this.#probe, sent, this.#scrubber));
    this.digests.push(digest);
  }

  #put({ row, bytes }: { row: Row; bytes: number }): void {
    this.bytes += bytes;
    const { maxBytes } = this.#probe.caps;
    if (this.bytes > maxBytes)
      throw new BadAnswer(`The server's answer is larger than ${maxBytes} bytes, the most for this probe.`);
    this.rows.push(row);
  }
}

export interface DecodeOptions {
  readonly scrubber?: Scrubber | undefined;
  /** Digests of the rows of the answer before. */
  readonly known?: Digests | undefined;
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
  const { rows, bytes, digests } = decoder;
  const decoded = { rows, bytes, ...(digests.length > 0 && { digests: Float64Array.from(digests) }) };
  if (answer.length <= maxRows) return decoded;
  return { ...decoded, is_cut: true, note: `There are more than ${maxRows} rows; the rest is not kept.` };
}
