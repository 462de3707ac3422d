// Reads what is new of one log file, piece by piece, and has each stored before the next is read. Guards: a file that is another one than
// before under the same name is read from its start, and what was unread of the one before is a gap.
import { createHash } from 'node:crypto';
import { LOG_CHUNK_BYTES, LOG_HEAD_BYTES } from '../../estate/connections/log-script.ts';
import type { LogFormat, LogSource } from '../../estate/connections/log-source.ts';
import type { LogPiece, PieceEvents } from '../../estate/server-logs/log-rows.ts';
import { wholeEvents } from './log-cut.ts';
import type { FileState, Gap, ListedFile } from './log-plan.ts';
import type { LogStore } from './log-store.ts';

export interface Chunk {
  readonly head: Buffer;
  readonly bytes: Buffer;
}

export interface Reading {
  readonly store: LogStore;
  readonly source: LogSource;
  readonly format: LogFormat;
  /** Undefined: the file is gone. */
  ask(name: string, position: number): Promise<Chunk | undefined>;
  now(): number;
  /** How far the server's clock is ahead. */
  readonly ahead_ms: number;
  /** A piece was read and stored. */
  stored(found: PieceEvents): void;
  scrub(text: string): string;
  /** Counts lines. */
  events(piece: LogPiece): Promise<PieceEvents>;
}

export interface FileWish {
  readonly file: ListedFile;
  /** Nothing was written to it since the look before, or a newer one is written to. */
  readonly isQuiet: boolean;
  /** How many may be read. */
  readonly pieces: number;
}

const NEWLINE = 10;
const NOTHING: PieceEvents = { counts: [], names: [], events: [], blocks: [], plans: [], newest: undefined };

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Whether the file is another one than the one of which so much was read. */
const isAnother = ({ head_bytes, head_hash }: FileState, { head }: Chunk) =>
  head_bytes > 0 && hashOf(head.subarray(0, head_bytes)) !== head_hash;

/** How much of a piece is read now, and whether it is given up, as a line that is longer than a piece is. */
function portionOf(
  bytes: Buffer,
  wish: { format: LogFormat; isQuiet: boolean },
): { taken: number; isLost: boolean } {
  const taken = wholeEvents(bytes, wish);
  if (taken > 0 || bytes.length < LOG_CHUNK_BYTES) return { taken, isLost: false };
  const lines = bytes.lastIndexOf(NEWLINE) + 1;
  return lines > 0 ? { taken: lines, isLost: false } : { taken: bytes.length, isLost: true };
}

/** The file as it is once it was read up to there. */
function stateAt(file: ListedFile, position: number, { head }: Chunk): FileState {
  const head_bytes = Math.min(LOG_HEAD_BYTES, head.length, position);
  return {
    ...file,
    size: Math.max(file.size, position),
    position,
    head_bytes,
    head_hash: head_bytes === 0 ? '' : hashOf(head.subarray(0, head_bytes)),
  };
}

/** Answers whether there may be more to read at once. */
async function readPiece(reading: Reading, { file, isQuiet }: FileWish, known: FileState): Promise<boolean> {
  const { store, source, format, now, scrub, ahead_ms } = reading;
  const chunk = await reading.ask(file.name, known.position);
  if (chunk === undefined) return false;
  if (isAnother(known, chunk)) {
    const bytes = Math.max(0, known.size - known.position);
    const gap: { gap?: Gap } = bytes > 0 ? { gap: { name: file.name, bytes, reason: 'replaced' } } : {};
    const after = { ...file, position: 0, head_bytes: 0, head_hash: '' };
    await store.apply([{ before: known, after, ...gap }], now());
    return true;
  }
  const { bytes } = chunk;
  const isAtEnd = known.position + bytes.length >= file.size;
  const { taken, isLost } = portionOf(bytes, { format, isQuiet: isQuiet && isAtEnd });
  // Also without anything new: it was written to, as its time says.
  const isMoved = taken > 0 || known.modified !== file.modified;
  if (!isMoved) return false;
  const piece = {
    bytes: bytes.subarray(0, taken),
    prefix: format === 'stderr' ? source.prefix : undefined,
    time_zone: source.time_zone,
    now: now(),
    ahead_ms,
    scrub,
  };
  const gap: { gap?: Gap } = isLost
    ? { gap: { name: file.name, bytes: taken, reason: 'line_too_long' } }
    : {};
  const to = stateAt(file, known.position + taken, chunk);
  const found = isLost ? NOTHING : await reading.events(piece);
  await store.advance({ from: known, to, found, ...gap }, now());
  reading.stored(found);
  return taken > 0 && bytes.length === LOG_CHUNK_BYTES;
}

/** Answers how many pieces were read. */
export async function readFile(reading: Reading, wish: FileWish): Promise<number> {
  const { file, pieces } = wish;
  for (let used = 0; used < pieces; used += 1) {
    const known = (await reading.store.known()).files.get(file.name);
    const isNew = known !== undefined && (file.size > known.position || file.modified !== known.modified);
    if (!known || !isNew) return used;
    if (!(await readPiece(reading, wish, known))) return used + 1;
  }
  return pieces;
}
