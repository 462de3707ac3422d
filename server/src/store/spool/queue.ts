// Records that wait to be written to the spool's disk, in order, and compressed in groups. Guards: a record that cannot
// be compressed fails alone.
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync } from 'node:zlib';
import { type About, encodeRecord, type Kind, MAX_RECORD_BYTES } from './format.ts';

export interface Item {
  readonly seq: number;
  readonly kind: Kind;
  readonly about: About;
  /** Before packing. */
  readonly bytes: number;
  payload(): Uint8Array;
  /** Whether it was written. */
  done(written: boolean): void;
  failed(error: unknown): void;
}

export interface Packed {
  readonly item: Item;
  readonly record: Buffer;
}

/** So many records, or so many bytes before packing, go to the disk in one write. */
const GROUP = { records: 64, bytes: 1024 * 1024 };

/** To wake a thread for less takes longer than to pack it. */
const SMALL_BYTES = 16 * 1024;
/** What is packed comes in pieces of so many bytes at most, each of which wakes the main thread. */
const MOST_PIECE = 512 * 1024;
/** So many times smaller it becomes, or more. */
const SMALLER = 4;

const inThread = promisify(deflateRaw);

/** By default zlib clears 256 KB for whatever is packed. */
function deflateSmall(payload: Uint8Array): Buffer {
  const bits = Math.max(9, Math.ceil(Math.log2(Math.max(1, payload.length))));
  return deflateRawSync(payload, { level: 1, windowBits: bits, memLevel: bits - 6 });
}

async function deflate(payload: Uint8Array): Promise<Buffer> {
  if (payload.length <= SMALL_BYTES) return deflateSmall(payload);
  const chunkSize = Math.min(MOST_PIECE, Math.ceil(payload.length / SMALLER));
  return await inThread(payload, { level: 1, chunkSize });
}

async function pack(item: Item): Promise<Packed | undefined> {
  try {
    const { kind, seq, about } = item;
    const deflated = await deflate(item.payload());
    if (deflated.length > MAX_RECORD_BYTES / 2) throw new RangeError('a batch is too large for the spool');
    return { item, record: encodeRecord({ kind, seq, ...about }, deflated) };
  } catch (error) {
    item.failed(error);
    return undefined;
  }
}

export class Queue {
  #items: Item[] = [];
  #bytes = 0;
  #takenBytes = 0;

  get size(): number {
    return this.#items.length;
  }

  /** Those that wait, and those that were taken. */
  get bytes(): number {
    return this.#bytes;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#bytes += item.bytes;
  }

  /** The next group; taken() says that it is on the disk. */
  async take(): Promise<Packed[]> {
    let count = 0;
    for (const { bytes } of this.#items) {
      if (count > 0 && (count >= GROUP.records || this.#takenBytes + bytes > GROUP.bytes)) break;
      count += 1;
      this.#takenBytes += bytes;
    }
    const packed = await Promise.all(this.#items.splice(0, count).map(pack));
    return packed.filter((one) => one !== undefined);
  }

  taken(): void {
    this.#bytes -= this.#takenBytes;
    this.#takenBytes = 0;
  }
}
