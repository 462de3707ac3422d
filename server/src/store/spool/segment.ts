// The spool's files: segments named <epoch>-<first seq>.spool, and the identity of the spool. Guards: a new segment
// and the identity are there after a power cut (file and directory are synced); the epoch never goes back while a
// file of an older one remains.

import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../kernel/errors.ts';
import { greatest } from '../../kernel/lists.ts';
import { decodeHeader, encodeHeader, HEADER_BYTES, type SegmentHeader } from './format.ts';
import { type Scanned, scanSegment } from './scan.ts';

const NAME = /^(\d+)-(\d+)\.spool$/;
const IDENTITY = 'identity.json';

export interface Segment {
  readonly file: string;
  readonly header: SegmentHeader;
  /** No record in it has a greater number. */
  last_seq: number;
  /** Length of what is whole in it. */
  bytes: number;
  /** Whole records; null while nobody has counted those of an earlier process. */
  records: number | null;
  readonly acknowledged: Set<number>;
  /** Its file was removed. */
  gone: boolean;
}

export const isDone = ({ records, acknowledged }: Segment) =>
  records !== null && acknowledged.size >= records;

export interface Identity {
  readonly collector: string;
  readonly epoch: number;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the file; it must not be there. */
export async function createSegment(
  directory: string,
  header: SegmentHeader,
): Promise<{ segment: Segment; handle: FileHandle }> {
  const file = path.join(directory, `${header.epoch}-${header.first_seq}.spool`);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.write(encodeHeader(header), 0, HEADER_BYTES, 0);
    await syncDirectory(directory);
  } catch (error) {
    await handle.close();
    await unlink(file).catch(() => undefined);
    throw error;
  }
  const segment = {
    file,
    header,
    last_seq: header.first_seq - 1,
    bytes: HEADER_BYTES,
    records: 0,
    acknowledged: new Set<number>(),
    gone: false,
  };
  return { segment, handle };
}

export async function removeSegment(segment: Segment): Promise<void> {
  segment.gone = true;
  try {
    await unlink(segment.file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function openUnlessGone(segment: Segment): Promise<FileHandle | undefined> {
  try {
    return segment.gone ? undefined : await open(segment.file, 'r');
  } catch (error) {
    if (!segment.gone) throw error;
    return undefined;
  }
}

/** The whole records of a segment, up to `limit` bytes of its file; none once it is gone. */
export async function* recordsOf(segment: Segment, limit = segment.bytes): AsyncGenerator<Scanned> {
  const handle = await openUnlessGone(segment);
  if (!handle) return;
  try {
    yield* scanSegment(handle, limit);
  } finally {
    await handle.close();
  }
}

async function readHeader(file: string): Promise<SegmentHeader | undefined> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return decodeHeader(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** Segments that are there, oldest first. A damaged header is made up for by the file's name. */
async function findSegments(directory: string, collector: string | undefined): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const name of await readdir(directory)) {
    const [, epoch, first_seq] = NAME.exec(name) ?? [];
    if (epoch === undefined || first_seq === undefined) continue;
    const file = path.join(directory, name);
    const named = { collector: collector ?? '', epoch: Number(epoch), first_seq: Number(first_seq) };
    const header = (await readHeader(file)) ?? named;
    const { size } = await stat(file);
    segments.push({
      file,
      header,
      last_seq: Number.POSITIVE_INFINITY,
      bytes: size,
      records: null,
      acknowledged: new Set(),
      gone: false,
    });
  }
  segments.sort((a, b) => a.header.first_seq - b.header.first_seq);
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next) segment.last_seq = next.header.first_seq - 1;
  }
  return segments;
}

/** Cuts what a crash left torn at the end of the newest segment; answers the last seq that is whole. */
async function cutTail(segment: Segment): Promise<number> {
  let [end, last, records] = [HEADER_BYTES, segment.header.first_seq - 1, 0];
  for await (const record of recordsOf(segment)) {
    [end, last] = [record.end, record.head.seq];
    records += 1;
  }
  if (records === 0) await removeSegment(segment);
  else if (end < segment.bytes) {
    const handle = await open(segment.file, 'r+');
    await handle.truncate(end);
    await handle.close();
    segment.bytes = end;
  }
  segment.last_seq = last;
  return last;
}

async function readIdentity(directory: string): Promise<Identity | undefined> {
  try {
    const found: Partial<Identity> = JSON.parse(await readFile(path.join(directory, IDENTITY), 'utf8'));
    const { collector, epoch } = found;
    return typeof collector === 'string' && typeof epoch === 'number' ? { collector, epoch } : undefined;
  } catch {
    return undefined;
  }
}

async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  const file = path.join(directory, IDENTITY);
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(identity));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  await syncDirectory(directory);
}

export interface Recovered extends Identity {
  segments: Segment[];
  /** The first seq that nobody has used. */
  nextSeq: number;
}

/** Makes the directory or finds what an earlier process left in it, under a new epoch. */
export async function recover(directory: string): Promise<Recovered> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const before = await readIdentity(directory);
  const found = await findSegments(directory, before?.collector);
  const newest = found.at(-1);
  const last = newest ? await cutTail(newest) : 0;
  const known = before?.collector ?? found.find(({ header }) => header.collector !== '')?.header.collector;
  const epoch =
    greatest(
      found.map(({ header }) => header.epoch),
      before?.epoch ?? 0,
    ) + 1;
  const identity = { collector: known ?? randomUUID(), epoch };
  await writeIdentity(directory, identity);
  return { ...identity, segments: found.filter(({ gone }) => !gone), nextSeq: last + 1 };
}
