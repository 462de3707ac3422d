// A block of lines of a log: events in the order of their time, as columns of JSON, packed. Guards: an event keeps its id when its block is
// merged with others; a body that is damaged is an error and never another event.
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import type { EventRow, LineBlock } from './log-rows.ts';
import { addWords, FIELDS, fieldHash, filterOf } from './word-filter.ts';

export const BLOCK_VERSION = 1;
/** A block becomes no larger, as it is unpacked, unless one event alone is. */
export const BLOCK_BYTES = 1024 * 1024;
const MOST_EVENTS = 20_000;
const LEVEL = 6;

export const TEXTS = ['message', 'detail', 'hint', 'context', 'statement'] as const;

export const NAMES = [
  'class',
  'severity',
  'sqlstate',
  'database_name',
  'user_name',
  'application_name',
  'process_id',
  'queryid',
] as const;
export type NameField = (typeof NAMES)[number];
export type TextField = (typeof TEXTS)[number];

/** An event, and the block that it was stored in first: 0 is the one that it is put in now. */
export interface Line {
  readonly row: EventRow;
  readonly block: number;
  readonly number: number;
}

/** Texts without their repetitions: a reference is 0 for the next new one, else one more than the number of one before. */
class TextsOnce {
  readonly list: string[] = [''];
  readonly #known = new Map([['', 0]]);

  reference(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known + 1;
    this.#known.set(text, this.list.length);
    this.list.push(text);
    return 0;
  }
}

/** Each as the difference to the one before, which is small. */
function deltas(values: readonly number[], start: number): number[] {
  let before = start;
  return values.map((value) => {
    const delta = value - before;
    before = value;
    return delta;
  });
}

export const SEPARATOR = '\0';

function columnsOf<F extends NameField | TextField>(
  fields: readonly F[],
  lines: readonly Line[],
  texts: TextsOnce,
): Record<string, number[]> {
  return Object.fromEntries(
    fields.map((field) => [field, lines.map(({ row }) => texts.reference(row[field]))]),
  );
}

function figuresOf(lines: readonly Line[]) {
  return lines.flatMap(({ row: { figures } }, at) => {
    const names = Object.keys(figures);
    return names.length === 0 ? [] : [[at, names.join(' '), Object.values(figures)]];
  });
}

function wordsOf(texts: readonly string[], lines: readonly Line[]): Buffer {
  const hashes = new Set<number>();
  addWords(hashes, texts.join(SEPARATOR).toLowerCase());
  for (const { row } of lines)
    for (const field of FIELDS) if (row[field] !== '') hashes.add(fieldHash(field, row[field]));
  return filterOf(hashes);
}

const pack = promisify(zstdCompress);
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };

const namesIn = (field: NameField, lines: readonly Line[]) => [
  ...new Set(lines.map(({ row }) => row[field])),
];

/** Lines in the order of their time. */
export async function packBlock(lines: readonly Line[]): Promise<LineBlock> {
  const names = new TextsOnce();
  const texts = new TextsOnce();
  const blocks = [...new Set(lines.map(({ block }) => block))];
  const places = new Map(blocks.map((block, at) => [block, at]));
  const times = lines.map(({ row }) => row.occurred_at);
  const body = {
    at: deltas(times, 0),
    blocks,
    block: lines.map(({ block }) => places.get(block) ?? 0),
    number: deltas(
      lines.map(({ number }) => number),
      -1,
    ),
    name: columnsOf(NAMES, lines, names),
    names: names.list.join(SEPARATOR),
    text: columnsOf(TEXTS, lines, texts),
    texts: texts.list.join(SEPARATOR),
    figures: figuresOf(lines),
    cut: lines.flatMap(({ row }, at) => (row.is_cut ? [at] : [])),
  };
  await yieldIfBusy();
  const unpacked = Buffer.from(JSON.stringify(body), 'utf8');
  await yieldIfBusy();
  return {
    first_at: times[0] ?? 0,
    last_at: times.at(-1) ?? 0,
    events: lines.length,
    unpacked_bytes: unpacked.length,
    classes: namesIn('class', lines),
    severities: namesIn('severity', lines),
    sqlstates: namesIn('sqlstate', lines),
    words: wordsOf(texts.list, lines),
    body: await pack(unpacked, PACKING),
  };
}

const sizeOf = (row: EventRow) => TEXTS.reduce((sum, field) => sum + row[field].length, 0);

/** In pieces that make blocks of the largest size. */
export function inBlocks<T>(all: readonly T[], rowOf: (one: T) => EventRow): T[][] {
  const pieces: T[][] = [];
  let size = BLOCK_BYTES;
  for (const one of all) {
    const own = pieces.at(-1);
    if (own && size < BLOCK_BYTES && own.length < MOST_EVENTS) own.push(one);
    else {
      pieces.push([one]);
      size = 0;
    }
    size += sizeOf(rowOf(one));
  }
  return pieces;
}

/** Blocks of events that are stored for the first time, in the order of their time. */
export async function newBlocks(rows: readonly EventRow[]): Promise<LineBlock[]> {
  const blocks: LineBlock[] = [];
  for (const own of inBlocks(rows, (row) => row))
    blocks.push(await packBlock(own.map((row, number) => ({ row, block: 0, number }))));
  return blocks;
}
