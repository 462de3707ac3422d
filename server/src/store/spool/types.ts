// What the spool is to those who use it.
import type { Clock } from '../../kernel/clock.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { About } from './format.ts';
import type { Gap } from './gaps.ts';

export interface SpoolOptions {
  directory: string;
  /** What the segments may take together; the oldest is given up beyond. */
  maxBytes: number;
  clock: Clock;
  log: Log;
  /** Less free disk than this, and the oldest is given up. */
  minFreeBytes?: number;
  segmentBytes?: number;
  syncMs?: number;
}

interface Numbered {
  /** With epoch and seq the number under which the batch ledger knows it. */
  readonly collector: string;
  readonly epoch: number;
  readonly seq: number;
}

export interface SpooledBatch extends Numbered, About {
  readonly kind: 'batch';
  readonly payload: Buffer;
}

/**
 * What had to be given up; later ones repeat what earlier ones say, with a later end. Those of this process come last, under
 * a number below 0, since no file is read for them.
 */
export interface SpooledGaps extends Numbered {
  readonly kind: 'gaps';
  readonly gaps: readonly Gap[];
}

export type Spooled = SpooledBatch | SpooledGaps;

export interface SpoolStats {
  /** On disk. */
  bytes: number;
  segments: number;
  /** In memory, on the way to the disk. */
  queued_bytes: number;
  appended: number;
  acknowledged: number;
  /** Records given up for want of space. */
  dropped: number;
  /** Places that could not be read. */
  damaged: number;
  /** Not known to be stored. While there are any, somebody has to read what is unacknowledged. */
  gaps: number;
}

export interface Spool extends Part {
  readonly collector: string;
  readonly epoch: number;
  readonly stats: SpoolStats;
  /**
   * Resolves with the record's number once the system has it; with 0 when the disk takes nothing, so that it is kept
   * by the caller alone. An object is kept as JSON. Without `about` it counts as collected now, for connections that
   * nobody knows. Whoever does not wait holds the memory.
   */
  append(record: Uint8Array | object, about?: About): Promise<number>;
  /** Asks `takesBack` of each batch of this process before it is given up: with true the caller has it, and none is lost. */
  beforeGivingUp(takesBack: (seq: number) => boolean): void;
  /** What nobody has acknowledged, oldest first, up to what was appended when reading began. */
  unacknowledged(): AsyncGenerator<Spooled>;
  /** Stored: it need not be kept. In any order, and as often as one likes. */
  acknowledge(seq: number): void;
  /** Resolves when everything appended so far survives a power cut. */
  sync(): Promise<void>;
}
