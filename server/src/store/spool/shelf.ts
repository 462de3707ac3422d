// The segment files of a spool, and the one that is being written. Guards: a write is on the disk as a whole or not at
// all; a segment's file is deleted only when all of it is acknowledged or given up.
import type { FileHandle } from 'node:fs/promises';
import type { SegmentHeader } from './format.ts';
import { createSegment, isDone, type Recovered, removeSegment, type Segment } from './segment.ts';

interface Current {
  readonly segment: Segment;
  readonly handle: FileHandle;
}

/** The records of one write: how many, and the numbers of the first and the last. */
export interface Group {
  readonly records: number;
  readonly first_seq: number;
  readonly last_seq: number;
}

/** So much of a segment may lie there although all of it is acknowledged. */
const WASTE_BYTES = 1024 * 1024;

export interface ShelfOptions {
  directory: string;
  segmentBytes: number;
  recovered: Recovered;
}

export class Shelf {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #identity: Omit<SegmentHeader, 'first_seq'>;
  #segments: Segment[];
  #current: Current | undefined;
  #unsynced = 0;

  constructor({ directory, segmentBytes, recovered }: ShelfOptions) {
    this.#directory = directory;
    this.#segmentBytes = segmentBytes;
    this.#identity = { collector: recovered.collector, epoch: recovered.epoch };
    this.#segments = recovered.segments;
  }

  /** Oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes that a power cut would take. */
  get unsynced(): number {
    return this.#unsynced;
  }

  /** Whether a segment lies there that nothing is written to any more. */
  get isAnySealed(): boolean {
    return this.#segments.some((segment) => this.isSealed(segment));
  }

  isSealed(segment: Segment): boolean {
    return segment !== this.#current?.segment;
  }

  /** Whole records in one write. Rejects with the system's error when nothing of it was written. */
  async write(bytes: Buffer, { records, first_seq, last_seq }: Group): Promise<void> {
    const { segment, handle } = await this.#room(bytes.length, first_seq);
    let done = 0;
    try {
      while (done < bytes.length) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, segment.bytes + done);
        done += bytesWritten;
      }
    } catch (error) {
      await handle.truncate(segment.bytes).catch(() => undefined);
      throw error;
    }
    segment.bytes += bytes.length;
    segment.records = (segment.records ?? 0) + records;
    segment.last_seq = last_seq;
    this.#unsynced += bytes.length;
  }

  async #room(bytes: number, first_seq: number): Promise<Current> {
    const segment = this.#current?.segment;
    if (segment?.records && segment.bytes + bytes > this.#segmentBytes) await this.seal();
    if (this.#current) return this.#current;
    this.#current = await createSegment(this.#directory, { ...this.#identity, first_seq });
    this.#segments.push(this.#current.segment);
    return this.#current;
  }

  async sync(): Promise<void> {
    const current = this.#current;
    if (current && !isDone(current.segment)) await current.handle.datasync();
    this.#unsynced = 0;
  }

  /** Ends the segment that is written to. */
  async seal(): Promise<void> {
    try {
      await this.sync();
    } finally {
      const { handle } = this.#current ?? {};
      this.#current = undefined;
      await handle?.close();
    }
  }

  /** Notes that a record is stored; answers false when there is none of that number. */
  acknowledge(seq: number): boolean {
    const segment = this.#segments.findLast(({ header }) => header.first_seq <= seq);
    // One whose segment is gone must not count in the segment before, whose own records are still wanted.
    if (!segment || (this.isSealed(segment) && seq > segment.last_seq)) return false;
    if (segment.acknowledged.has(seq)) return false;
    segment.acknowledged.add(seq);
    return true;
  }

  /** Removes what is acknowledged altogether. */
  async tidy(): Promise<void> {
    const current = this.#current?.segment;
    if (current && isDone(current) && current.bytes > WASTE_BYTES) await this.seal();
    const done = this.#segments.filter((segment) => this.isSealed(segment) && isDone(segment));
    for (const segment of done) await this.remove(segment);
  }

  async remove(segment: Segment): Promise<void> {
    this.#segments = this.#segments.filter((one) => one !== segment);
    await removeSegment(segment);
  }
}
