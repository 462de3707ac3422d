// OTLP in protobuf: ExportLogsServiceRequest as opentelemetry/proto/collector/logs/v1 has it, and its answers. Guards: fields that are not
// known are passed over, as protobuf wants it; a message that breaks off is refused as a whole.
import { createHash } from 'node:crypto';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  BadOtlp,
  DEEPEST,
  type OtlpAttributes,
  type OtlpGroup,
  type OtlpRecord,
  type OtlpValue,
  RecordCount,
  TooManyRecords,
  timeOf,
} from './otlp.ts';

/** Reads a field, or leaves it: what answers false is passed over. */
type ReadField = (field: number) => boolean;

function eachField(reader: BinaryReader, end: number, read: ReadField): void {
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    if (!read(field)) reader.skip(type, field);
  }
  if (reader.pos !== end) throw new BadOtlp('a message is longer than it says');
}

const endOf = (reader: BinaryReader): number => {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new BadOtlp('a message breaks off');
  return end;
};

function readList(reader: BinaryReader, depth: number): OtlpValue[] {
  const values: OtlpValue[] = [];
  eachField(reader, endOf(reader), (field) => {
    if (field !== 1) return false;
    values.push(readValue(reader, depth + 1));
    return true;
  });
  return values;
}

function readPairs(reader: BinaryReader, depth: number): OtlpAttributes {
  const pairs: [string, OtlpValue][] = [];
  eachField(reader, endOf(reader), (field) => {
    if (field !== 1) return false;
    pairs.push(readPair(reader, depth + 1));
    return true;
  });
  return Object.fromEntries(pairs);
}

/** AnyValue: the last of its kinds counts. */
function readValue(reader: BinaryReader, depth: number): OtlpValue {
  let value: OtlpValue = null;
  const kinds: Readonly<Record<number, () => OtlpValue>> = {
    1: () => reader.string(),
    2: () => reader.bool(),
    3: () => Number(reader.int64()),
    4: () => reader.double(),
    5: () => readList(reader, depth),
    6: () => readPairs(reader, depth),
    7: () => Buffer.from(reader.bytes()).toString('utf8'),
  };
  eachField(reader, endOf(reader), (field) => {
    const read = depth > DEEPEST ? undefined : kinds[field];
    if (read) value = read();
    return read !== undefined;
  });
  return value;
}

function readPair(reader: BinaryReader, depth: number): [string, OtlpValue] {
  let key = '';
  let value: OtlpValue = null;
  eachField(reader, endOf(reader), (field) => {
    if (field === 1) key = reader.string();
    else if (field === 2) value = readValue(reader, depth);
    else return false;
    return true;
  });
  return [key, value];
}

function readRecord(reader: BinaryReader): OtlpRecord {
  const found = { at: 0n, observed: 0n, severity: '' };
  let body: OtlpValue = null;
  const attributes: [string, OtlpValue][] = [];
  const fields: Readonly<Record<number, () => void>> = {
    1: () => {
      found.at = BigInt(reader.fixed64());
    },
    3: () => {
      found.severity = reader.string();
    },
    5: () => {
      body = readValue(reader, 0);
    },
    6: () => attributes.push(readPair(reader, 0)),
    11: () => {
      found.observed = BigInt(reader.fixed64());
    },
  };
  eachField(reader, endOf(reader), (field) => {
    fields[field]?.();
    return fields[field] !== undefined;
  });
  const { at, observed, severity } = found;
  return { time: timeOf(at, observed), severity, body, attributes: Object.fromEntries(attributes) };
}

function readResource(reader: BinaryReader): OtlpAttributes {
  const attributes: [string, OtlpValue][] = [];
  eachField(reader, endOf(reader), (field) => {
    if (field === 1) attributes.push(readPair(reader, 0));
    return field === 1;
  });
  return Object.fromEntries(attributes);
}

function readScope(reader: BinaryReader, count: RecordCount): OtlpRecord[] {
  const records: OtlpRecord[] = [];
  eachField(reader, endOf(reader), (field) => {
    if (field !== 2) return false;
    count.add();
    records.push(readRecord(reader));
    return true;
  });
  return records;
}

function readGroup(bytes: Uint8Array, count: RecordCount): OtlpGroup {
  const reader = new BinaryReader(bytes);
  let resource: OtlpAttributes = {};
  const scopes: OtlpRecord[][] = [];
  eachField(reader, reader.len, (field) => {
    if (field === 1) resource = readResource(reader);
    else if (field === 2) scopes.push(readScope(reader, count));
    else return false;
    return true;
  });
  return { hash: createHash('sha256').update(bytes).digest(), resource, records: scopes.flat() };
}

/** BadOtlp where it is none. */
export function decodeProto(bytes: Uint8Array): OtlpGroup[] {
  const count = new RecordCount();
  const groups: OtlpGroup[] = [];
  try {
    const reader = new BinaryReader(bytes);
    eachField(reader, reader.len, (field) => {
      if (field === 1) groups.push(readGroup(reader.bytes(), count));
      return field === 1;
    });
  } catch (cause) {
    if (cause instanceof TooManyRecords) throw cause;
    throw new BadOtlp('it is no ExportLogsServiceRequest', { cause });
  }
  return groups;
}

/** ExportLogsServiceResponse: nothing where all was taken. */
export function encodeAnswer(rejected: number, message: string): Uint8Array {
  const writer = new BinaryWriter();
  if (rejected === 0 && message === '') return writer.finish();
  writer.tag(1, 2).fork();
  if (rejected > 0) writer.tag(1, 0).int64(rejected);
  if (message !== '') writer.tag(2, 2).string(message);
  return writer.join().finish();
}

/** google.rpc.Status. */
export const encodeStatus = (code: number, message: string): Uint8Array =>
  new BinaryWriter().tag(1, 0).int32(code).tag(2, 2).string(message).finish();
