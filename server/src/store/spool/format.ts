// The bytes of the spool. A segment is a header and records; a record is `mark | length | crc32 | head | deflated
// payload`, all little-endian, the crc over length, head and payload. Pure. Guards: whatever byte is damaged, the
// records before and after the damaged one are still found.
import { crc32 } from 'node:zlib';

/** What a record tells of its payload without unpacking it. */
export interface About {
  /** Connections whose samples it holds. */
  readonly connections: readonly number[];
  /** When the first and the last of them were collected, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

export type Kind = 'batch' | 'gaps';

export interface RecordHead extends About {
  readonly kind: Kind;
  readonly seq: number;
}

export interface SegmentHeader {
  /** UUID of the spool that wrote it. */
  readonly collector: string;
  /** Grows with each opening of the spool. */
  readonly epoch: number;
  readonly first_seq: number;
}

const MAGIC = Buffer.from('MTRSPOOL', 'latin1');
const VERSION = 1;
export const HEADER_BYTES = 48;
const HEADER_CRC_AT = HEADER_BYTES - 4;

const MARK = Buffer.from([0xf5, 0x4d, 0x52, 0xc1]);
/** Mark, length, crc. */
const PREFIX_BYTES = 12;
/** Kind, seq, from, to, number of connections. */
const HEAD_BYTES = 1 + 8 + 8 + 8 + 4;
/** Longest record that is written or believed. */
export const MAX_RECORD_BYTES = 64 * 1024 * 1024;

const KINDS = ['batch', 'gaps'] as const satisfies readonly Kind[];

export function encodeHeader({ collector, epoch, first_seq }: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(VERSION, 8);
  Buffer.from(collector.replaceAll('-', ''), 'hex').copy(bytes, 12, 0, 16);
  bytes.writeDoubleLE(epoch, 28);
  bytes.writeDoubleLE(first_seq, 36);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  return bytes;
}

/** Undefined when it is no header of ours, or a damaged one. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(HEADER_CRC_AT) !== crc32(bytes.subarray(0, HEADER_CRC_AT))) return undefined;
  if (bytes.readUInt32LE(8) !== VERSION) return undefined;
  const hex = bytes.toString('hex', 12, 28);
  const collector = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { collector, epoch: bytes.readDoubleLE(28), first_seq: bytes.readDoubleLE(36) };
}

/** `deflated` is the payload, packed already. */
export function encodeRecord(head: RecordHead, deflated: Uint8Array): Buffer {
  const { kind, seq, from, to, connections } = head;
  const length = HEAD_BYTES + 4 * connections.length + deflated.length;
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + length);
  MARK.copy(bytes, 0);
  bytes.writeUInt32LE(length, 4);
  let at = bytes.writeUInt8(KINDS.indexOf(kind), PREFIX_BYTES);
  at = bytes.writeDoubleLE(seq, at);
  at = bytes.writeDoubleLE(from, at);
  at = bytes.writeDoubleLE(to, at);
  at = bytes.writeUInt32LE(connections.length, at);
  for (const id of connections) at = bytes.writeUInt32LE(id, at);
  bytes.set(deflated, at);
  bytes.writeUInt32LE(crcOf(bytes), 8);
  return bytes;
}

function crcOf(record: Buffer): number {
  return crc32(record.subarray(PREFIX_BYTES), crc32(record.subarray(4, 8)));
}

/** At that place of the bytes: a whole record, one whose end is not there yet, or none. */
export type ScannedRecord =
  | { kind: 'record'; head: RecordHead; deflated: Buffer; bytes: number }
  | { kind: 'short'; wanted: number }
  | { kind: 'none' };

const NONE: ScannedRecord = { kind: 'none' };

function decodeHead(body: Buffer): { head: RecordHead; size: number } | undefined {
  const kind = KINDS[body.readUInt8(0)];
  const count = body.readUInt32LE(HEAD_BYTES - 4);
  const size = HEAD_BYTES + 4 * count;
  if (kind === undefined || size > body.length) return undefined;
  const connections = Array.from({ length: count }, (_, index) => body.readUInt32LE(HEAD_BYTES + 4 * index));
  const [seq, from, to] = [body.readDoubleLE(1), body.readDoubleLE(9), body.readDoubleLE(17)];
  return { head: { kind, seq, from, to, connections }, size };
}

/** What begins at `offset`. */
export function recordAt(bytes: Buffer, offset: number): ScannedRecord {
  const rest = bytes.length - offset;
  if (rest < PREFIX_BYTES) {
    const isMark = bytes.subarray(offset, offset + 4).equals(MARK.subarray(0, Math.min(4, rest)));
    return isMark ? { kind: 'short', wanted: PREFIX_BYTES } : NONE;
  }
  if (!bytes.subarray(offset, offset + 4).equals(MARK)) return NONE;
  const length = bytes.readUInt32LE(offset + 4);
  if (length < HEAD_BYTES || length > MAX_RECORD_BYTES) return NONE;
  const size = PREFIX_BYTES + length;
  if (rest < size) return { kind: 'short', wanted: size };
  const record = bytes.subarray(offset, offset + size);
  if (record.readUInt32LE(8) !== crcOf(record)) return NONE;
  const body = record.subarray(PREFIX_BYTES);
  const decoded = decodeHead(body);
  if (!decoded) return NONE;
  return { kind: 'record', head: decoded.head, deflated: body.subarray(decoded.size), bytes: size };
}

/** Where the next mark (or the beginning of one, at the very end) is, from `offset` on; the length if nowhere. */
export function nextMark(bytes: Buffer, offset: number): number {
  const found = bytes.indexOf(MARK, offset);
  if (found !== -1) return found;
  for (let at = Math.max(offset, bytes.length - 3); at < bytes.length; at += 1)
    if (bytes.subarray(at).equals(MARK.subarray(0, bytes.length - at))) return at;
  return bytes.length;
}
