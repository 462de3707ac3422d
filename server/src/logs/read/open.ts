// Bytes of a file or of standard input, unpacked where they are packed. Guards: what could be unpacked before a damage is read; memory
// is that of one piece.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { errorCode, UsageError } from '../../kernel/errors.ts';
import { fileProblem } from '../../kernel/file-problem.ts';

const PIECE = 1024 * 1024;
const UNPACKED_PIECE = 8 * 1024;

export type Packing = 'gzip' | 'zstd' | Program;

/** Programs of the system that unpack what is not unpacked here. */
const PROGRAMS = { '425a68': 'bzip2', fd377a585a00: 'xz', '04224d18': 'lz4' } as const;
type Program = (typeof PROGRAMS)[keyof typeof PROGRAMS];
const ZIP = '504b0304';

export interface Opened {
  packing: Packing | null;
  /** Why the file ended before its end, in a sentence, after the bytes were read. */
  damage(): string | null;
  bytes: AsyncIterable<Buffer>;
}

const packingOf = (start: Buffer): Packing | null => {
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip';
  return start.length >= 4 && start.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : null;
};

async function streamOf(file: string): Promise<Readable> {
  if (file === '-') return process.stdin;
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new UsageError(`${file} is a directory; name the log files in it.`);
    return createReadStream(file, { highWaterMark: PIECE });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${file} ${fileProblem(cause)}.`);
  }
}

function programOf(file: string, start: Buffer): Program | null {
  const hex = start.toString('hex', 0, 8);
  if (hex.startsWith(ZIP))
    throw new UsageError(`${file} is a ZIP archive. Unpack it: unzip -p ${file} | matriarch logs -`);
  return Object.entries(PROGRAMS).find(([first]) => hex.startsWith(first))?.[1] ?? null;
}

/** What the program prints. */
async function byProgram(file: string, program: Program, source: Readable): Promise<AsyncIterable<unknown>> {
  const child = spawn(program, ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new UsageError(
      `${file} is packed with ${program}, which cannot be run here (${errorCode(cause) ?? 'unknown cause'}). Install it, or unpack the file first.`,
    );
  });
  // It ends before its input where that is damaged, which its status says.
  child.stdin.on('error', () => source.destroy());
  source.pipe(child.stdin);
  return untilItFails(child.stdout, ended);
}

async function* untilItFails(pieces: AsyncIterable<unknown>, ended: Promise<unknown[]>): AsyncGenerator {
  yield* pieces;
  const [status] = await ended;
  if (status !== 0) throw new Error(`the program ended with status ${status}`);
}

async function* rest(first: Buffer, more: AsyncIterator<unknown>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await more.next(); next.done !== true; next = await more.next())
    if (Buffer.isBuffer(next.value)) yield next.value;
}

const utf16Of = (start: Buffer): string | undefined => {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
};

/** UTF-16, as some tools on Windows write it, as UTF-8. */
async function* fromUtf16(pieces: AsyncIterable<Buffer>, order: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(order);
  for await (const one of pieces) yield Buffer.from(decoder.decode(one, { stream: true }), 'utf8');
}

async function* noDamage(
  pieces: AsyncIterable<unknown>,
  onDamage: (cause: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const one of pieces) if (Buffer.isBuffer(one)) yield one;
  } catch (cause) {
    onDamage(cause);
  }
}

/** Opens a file, or standard input for `-`. */
export async function openLog(file: string): Promise<Opened> {
  const stream = await streamOf(file);
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next().catch((cause: unknown) => {
    throw new UsageError(`${file} ${fileProblem(cause)}.`);
  });
  const start = Buffer.isBuffer(first.value) ? first.value : Buffer.alloc(0);
  const packing = packingOf(start) ?? programOf(file, start);
  const { Readable } = await import('node:stream');
  const raw = rest(start, pieces);
  let damage: string | null = null;
  const unpacked =
    packing === null ? raw : await unpackedBy(file, packing, Readable.from(raw, { objectMode: false }));
  const whole = noDamage(unpacked, (cause) => {
    damage = `${file} is damaged or was cut (${errorCode(cause) ?? 'unknown cause'}); what comes before was read.`;
  });
  const utf16 = utf16Of(start);
  return {
    packing,
    damage: () => damage,
    bytes: utf16 === undefined ? whole : fromUtf16(whole, utf16),
  };
}

async function unpackedBy(file: string, packing: Packing, source: Readable): Promise<AsyncIterable<unknown>> {
  if (packing !== 'gzip' && packing !== 'zstd') return byProgram(file, packing, source);
  // What was unpacked of a piece before a damage is lost with it, so pieces are small.
  const unpack = packing === 'gzip' ? createGunzip({ chunkSize: UNPACKED_PIECE }) : createZstdDecompress();
  source.on('error', (cause) => unpack.destroy(cause));
  return source.pipe(unpack);
}
