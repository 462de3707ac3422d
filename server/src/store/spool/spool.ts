// The spool: what was collected lies on the local disk before the datastore has it. Batches are appended to segments,
// synced in groups, and acknowledged once they are stored; what is left after a crash is read again in order. Guards:
// append never fails for a full disk (the oldest goes, and a gap says so), memory holds what is being written and
// nothing else, a record that append has answered for survives the death of the process, and one that is a second old
// also that of the machine. One process at a time may hold the directory.
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { errorCode } from '../../kernel/errors.ts';
import type { About } from './format.ts';
import { GapRecord } from './gap-record.ts';
import { type GapReason, gapsIn } from './gaps.ts';
import { type Item, Queue } from './queue.ts';
import type { Scanned } from './scan.ts';
import { type Recovered, recover, type Segment } from './segment.ts';
import { type Group, Shelf } from './shelf.ts';
import type { Spool, Spooled, SpoolOptions, SpoolStats } from './types.ts';
import { type Hole, Walk } from './walk.ts';

const SEGMENT_BYTES = 8 * 1024 * 1024;
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const SYNC_MS = 1000;
const SYNC_BYTES = 1024 * 1024;
const MOST_PAYLOAD_BYTES = 512 * 1024 * 1024;
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

const unpack = promisify(inflateRaw);

class DiskSpool implements Spool {
  readonly name = 'spool';
  readonly collector: string;
  readonly epoch: number;
  readonly #options: Required<SpoolOptions>;
  readonly #shelf: Shelf;
  readonly #gaps = new GapRecord();
  readonly #counts = { appended: 0, acknowledged: 0, dropped: 0, damaged: 0 };
  #timer: NodeJS.Timeout | undefined;
  readonly #queue = new Queue();
  #nextSeq: number;
  #storedSeq = -1;
  #due = { sync: false, disk: true };
  #work: Promise<void> | undefined;
  #isAway = false;
  #stopped = false;
  #takesBack = (_seq: number) => false;

  constructor(options: Required<SpoolOptions>, recovered: Recovered) {
    const { directory, segmentBytes } = options;
    this.#options = options;
    this.collector = recovered.collector;
    this.epoch = recovered.epoch;
    this.#nextSeq = recovered.nextSeq;
    this.#shelf = new Shelf({ directory, segmentBytes, recovered });
    this.#kick();
  }

  /** Once more in a while, as long as something has to be synced, may have to make room, or is to be said again. */
  #watch(): void {
    const { unsynced, isAnySealed } = this.#shelf;
    const isWanted = unsynced > 0 || isAnySealed || this.#gaps.size > 0;
    if (this.#timer || this.#stopped || !isWanted) return;
    const look = () => {
      this.#timer = undefined;
      this.#due = { sync: true, disk: true };
      this.#gaps.retry();
      this.#kick();
    };
    this.#timer = setTimeout(look, this.#options.syncMs).unref();
  }

  get stats(): SpoolStats {
    const { bytes, segments } = this.#shelf;
    const queued_bytes = this.#queue.bytes;
    return { bytes, segments: segments.length, queued_bytes, gaps: this.#gaps.size, ...this.#counts };
  }

  async append(record: Uint8Array | object, about?: About): Promise<number> {
    if (this.#stopped) throw new Error('the spool is stopped');
    const payload = record instanceof Uint8Array ? record : Buffer.from(JSON.stringify(record));
    const now = this.#options.clock.now();
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const seq = this.#enqueue({
      kind: 'batch',
      about: about ?? { connections: [], from: now, to: now },
      bytes: payload.length,
      payload: () => payload,
      done: resolve,
      failed: reject,
    });
    if (!(await promise)) return 0;
    this.#counts.appended += 1;
    return seq;
  }

  #enqueue(item: Omit<Item, 'seq'>): number {
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    this.#queue.push({ ...item, seq });
    this.#kick();
    return seq;
  }

  acknowledge(seq: number): void {
    const needless = this.#gaps.stored(seq);
    for (const record of needless) this.#shelf.acknowledge(record);
    if (needless.length > 0) this.#kick();
    if (!this.#shelf.acknowledge(seq)) return;
    this.#counts.acknowledged += 1;
    this.#storedSeq = seq;
    this.#kick();
  }

  beforeGivingUp(takesBack: (seq: number) => boolean): void {
    this.#takesBack = takesBack;
  }

  async sync(): Promise<void> {
    this.#due.sync = true;
    this.#kick();
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.sync();
    await this.#guarded(async () => {
      await this.#shelf.seal();
      await this.#shelf.tidy();
    });
  }

  async *unacknowledged(): AsyncGenerator<Spooled> {
    const until = this.#nextSeq;
    const walk = new Walk((hole) => this.#damaged(hole));
    for (const segment of [...this.#shelf.segments]) {
      if (segment.header.first_seq >= until) break;
      for await (const record of walk.through(segment, this.#shelf.isSealed(segment))) {
        const { seq } = record.head;
        if (segment.gone || seq >= until) break;
        if (segment.acknowledged.has(seq)) continue;
        if (!this.#isOwnGaps(segment, record)) yield await this.#unpacked(segment, record);
      }
    }
    walk.end(this.#options.clock.now());
    this.#kick();
    // Those in memory are newer than any record, and there even when the disk has taken none.
    const gaps = this.#gaps.handOver();
    if (gaps) yield { collector: this.collector, epoch: this.epoch, kind: 'gaps', ...gaps };
  }

  #isOwnGaps({ header }: Segment, { head }: Scanned): boolean {
    return head.kind === 'gaps' && header.epoch === this.epoch;
  }

  async #unpacked({ header }: Segment, { head, deflated }: Scanned): Promise<Spooled> {
    const { collector, epoch } = header;
    const { seq, kind, connections, from, to } = head;
    const payload = await unpack(deflated, { maxOutputLength: MOST_PAYLOAD_BYTES });
    if (kind === 'gaps') return { collector, epoch, seq, kind, gaps: gapsIn(payload.toString()) };
    return { collector, epoch, seq, kind, connections, from, to, payload };
  }

  /** Everything that touches the files happens in here, one thing after another. */
  #kick(): void {
    this.#work ??= this.#pump();
  }

  async #pump(): Promise<void> {
    await Promise.resolve();
    do {
      const due = this.#due;
      this.#due = { sync: false, disk: false };
      await this.#guarded(() => this.#write());
      await this.#guarded(() => this.#shelf.tidy());
      await this.#guarded(() => this.#keepWithin(due.disk));
      if (due.sync || this.#shelf.unsynced >= SYNC_BYTES) await this.#guarded(() => this.#shelf.sync());
      this.#sayGaps();
    } while (this.#queue.size > 0 || this.#due.sync);
    this.#work = undefined;
    this.#watch();
  }

  /** Whatever the disk does, the process goes on. Said when it begins. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isAway) this.#options.log.error({ event: 'spool.trouble', err: error });
      this.#isAway = true;
    }
  }

  async #write(): Promise<void> {
    const records = await this.#queue.take();
    const [first, last] = [records[0], records.at(-1)];
    if (first && last) {
      const bytes = Buffer.concat(records.map((one) => one.record));
      const [first_seq, last_seq] = [first.item.seq, last.item.seq];
      const written = await this.#place(bytes, { records: records.length, first_seq, last_seq });
      for (const { item } of records) item.done(written);
    }
    this.#queue.taken();
  }

  /** Writes, making room on a full disk at the cost of the oldest; false when even that does not help. */
  async #place(bytes: Buffer, group: Group): Promise<boolean> {
    for (;;) {
      try {
        await this.#shelf.write(bytes, group);
        if (this.#isAway) this.#options.log.info({ event: 'spool.back' });
        this.#isAway = false;
        return true;
      } catch (error) {
        await this.#guarded(() => Promise.reject(error));
        if (!NO_SPACE.has(errorCode(error) ?? '') || !(await this.#makeRoom())) return false;
      }
    }
  }

  async #makeRoom(): Promise<boolean> {
    const before = this.#shelf.segments.length;
    await this.#guarded(async () => {
      const [oldest] = this.#shelf.segments;
      if (oldest && !this.#shelf.isSealed(oldest)) await this.#shelf.seal();
      if (oldest) await this.#drop(oldest, 'disk');
    });
    return this.#shelf.segments.length < before;
  }

  /** The byte cap always; the free disk where it is time to look. */
  async #keepWithin(look: boolean): Promise<void> {
    const { maxBytes, directory, minFreeBytes } = this.#options;
    const oldest = () => this.#shelf.segments.find((segment) => this.#shelf.isSealed(segment));
    for (let victim = oldest(); victim && this.#shelf.bytes > maxBytes; victim = oldest())
      await this.#drop(victim, 'full');
    if (!look) return;
    const isShort = async () => {
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize < minFreeBytes;
    };
    for (let victim = oldest(); victim && (await isShort()); victim = oldest())
      await this.#drop(victim, 'disk');
  }

  /** Gives a segment up, and notes what was in it. */
  async #drop(segment: Segment, reason: GapReason): Promise<void> {
    const walk = new Walk((hole) => this.#damaged(hole));
    let records = 0;
    for await (const record of walk.through(segment, true)) {
      const { seq, kind } = record.head;
      if (segment.acknowledged.has(seq)) this.#storedSeq = seq;
      else if (segment.header.epoch === this.epoch && this.#takesBack(seq)) continue;
      else if (kind === 'batch') {
        records += 1;
        this.#lost(reason, record.head);
      } else if (this.#isOwnGaps(segment, record)) this.#gaps.dropped(seq);
      else this.#gaps.absorb((await unpack(record.deflated)).toString());
    }
    walk.end(this.#options.clock.now());
    await this.#shelf.remove(segment);
    this.#counts.dropped += records;
    if (records > 0) this.#options.log.error({ event: 'spool.dropped', reason, records });
  }

  #lost(reason: GapReason, record: About & { seq: number }): void {
    this.#gaps.add(reason, record, this.#storedSeq);
  }

  #damaged({ seq, from, to }: Hole): void {
    this.#counts.damaged += 1;
    this.#lost('damaged', { seq, from, to, connections: [] });
    this.#options.log.error({ event: 'spool.damaged', seq, from, to });
  }

  /** Puts what is known of gaps into the spool itself, where it waits for the datastore like everything else. */
  #sayGaps(): void {
    if (!this.#gaps.isDue) return;
    const seq = this.#nextSeq;
    const isNeedless = () => void this.#shelf.acknowledge(seq);
    this.#enqueue(this.#gaps.item(seq, this.#options.clock.now(), isNeedless));
  }
}

/** Takes over what an earlier process left in the directory. Rejects when it cannot be written at all. */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { maxBytes, segmentBytes = SEGMENT_BYTES } = options;
  const complete = {
    minFreeBytes: MIN_FREE_BYTES,
    syncMs: SYNC_MS,
    ...options,
    segmentBytes: Math.min(segmentBytes, Math.floor(maxBytes / 4)),
  };
  return new DiskSpool(complete, await recover(options.directory));
}
