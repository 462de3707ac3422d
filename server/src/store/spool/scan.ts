// Reads one segment from its file, piece by piece. Guards: memory holds one piece and one record, however long the
// file; damage is stepped over to the next whole record; a record that a crash tore off at the end is none.
import type { FileHandle } from 'node:fs/promises';
import { HEADER_BYTES, nextMark, type RecordHead, recordAt } from './format.ts';

const PIECE_BYTES = 256 * 1024;

export interface Scanned {
  readonly head: RecordHead;
  readonly deflated: Buffer;
  /** Where it ends in the file. */
  readonly end: number;
  /** Something unreadable lay before it. */
  readonly after_damage: boolean;
}

/** A part of the file that slides on, and grows where a record does not fit. */
class Window {
  readonly #file: FileHandle;
  readonly #limit: number;
  bytes: Buffer = Buffer.alloc(0);
  /** Where in the file `bytes` begins. */
  start = HEADER_BYTES;

  constructor(file: FileHandle, limit: number) {
    this.#file = file;
    this.#limit = limit;
  }

  /** Slides on, so that `offset` becomes 0. Answers whether `wanted` bytes are there from it on. */
  async need(offset: number, wanted: number): Promise<boolean> {
    const rest = this.bytes.subarray(offset);
    this.start += offset;
    this.bytes = rest;
    if (this.start + wanted > this.#limit) return false;
    const from = this.start + rest.length;
    const more = Math.min(this.#limit - from, Math.max(PIECE_BYTES, wanted - rest.length));
    const bytes = Buffer.allocUnsafe(rest.length + more);
    rest.copy(bytes);
    const { bytesRead } = await this.#file.read(bytes, rest.length, more, from);
    this.bytes = bytes.subarray(0, rest.length + bytesRead);
    return this.bytes.length >= wanted;
  }
}

/** The whole records of a segment in their order, up to `limit` bytes of the file. */
export async function* scanSegment(file: FileHandle, limit: number): AsyncGenerator<Scanned> {
  const window = new Window(file, limit);
  let offset = 0;
  let damaged = false;
  for (;;) {
    const found = recordAt(window.bytes, offset);
    if (found.kind === 'record') {
      offset += found.bytes;
      const { head, deflated } = found;
      yield { head, deflated, end: window.start + offset, after_damage: damaged };
      damaged = false;
      continue;
    }
    if (found.kind === 'short') {
      const isThere = await window.need(offset, found.wanted);
      offset = 0;
      if (isThere) continue;
      if (window.bytes.length === 0) return;
    }
    damaged = true;
    offset = nextMark(window.bytes, offset + 1);
  }
}
