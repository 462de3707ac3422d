// Requests of OTLP as clients write them, in JSON and in protobuf, from one description.
import { BinaryWriter } from '@bufbuild/protobuf/wire';

export type Value = string | number | boolean | { [key: string]: Value } | Value[];

export interface TestRecord {
  body?: Value;
  /** Milliseconds since the epoch. */
  time?: number;
  severity?: string;
  attributes?: Record<string, Value>;
}

export interface TestResource {
  resource?: Record<string, Value>;
  records: readonly TestRecord[];
}

type Json = Record<string, unknown>;

function anyValue(value: Value): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value) } };
}

const keyValues = (pairs: Record<string, Value>) =>
  Object.entries(pairs).map(([key, value]) => ({ key, value: anyValue(value) }));

const nanos = (ms: number) => `${ms}000000`;

export const asJson = (resources: readonly TestResource[]): Json => ({
  resourceLogs: resources.map(({ resource = {}, records }) => ({
    resource: { attributes: keyValues(resource) },
    scopeLogs: [
      {
        scope: { name: 'test' },
        logRecords: records.map(({ body, time, severity, attributes = {} }) => ({
          ...(time !== undefined && { timeUnixNano: nanos(time) }),
          ...(severity !== undefined && { severityText: severity, severityNumber: 17 }),
          ...(body !== undefined && { body: anyValue(body) }),
          attributes: keyValues(attributes),
        })),
      },
    ],
  })),
});

const LEN = 2;

function writeValue(writer: BinaryWriter, value: Value): BinaryWriter {
  if (typeof value === 'string') return writer.tag(1, LEN).string(value);
  if (typeof value === 'boolean') return writer.tag(2, 0).bool(value);
  if (typeof value === 'number')
    return Number.isInteger(value) ? writer.tag(3, 0).int64(value) : writer.tag(4, 1).double(value);
  if (Array.isArray(value)) {
    writer.tag(5, LEN).fork();
    for (const one of value) writeValue(writer.tag(1, LEN).fork(), one).join();
    return writer.join();
  }
  return writePairs(writer.tag(6, LEN).fork(), { field: 1, pairs: value }).join();
}

function writePairs(
  writer: BinaryWriter,
  { field, pairs }: { field: number; pairs: Record<string, Value> },
): BinaryWriter {
  for (const [key, value] of Object.entries(pairs)) {
    writer.tag(field, LEN).fork().tag(1, LEN).string(key);
    writeValue(writer.tag(2, LEN).fork(), value).join().join();
  }
  return writer;
}

function writeRecord(writer: BinaryWriter, { body, time, severity, attributes = {} }: TestRecord): void {
  if (time !== undefined) writer.tag(1, 1).fixed64(BigInt(nanos(time)));
  writer.tag(2, 0).int32(17);
  if (severity !== undefined) writer.tag(3, LEN).string(severity);
  if (body !== undefined) writeValue(writer.tag(5, LEN).fork(), body).join();
  writePairs(writer, { field: 6, pairs: attributes });
  writer.tag(8, 5).fixed32(1).tag(9, LEN).bytes(new Uint8Array(16));
}

export function asProto(resources: readonly TestResource[]): Buffer {
  const writer = new BinaryWriter();
  for (const { resource = {}, records } of resources) {
    writer.tag(1, LEN).fork();
    writePairs(writer.tag(1, LEN).fork(), { field: 1, pairs: resource }).join();
    writer.tag(2, LEN).fork().tag(1, LEN).fork().tag(1, LEN).string('test').join();
    for (const record of records) {
      writer.tag(2, LEN).fork();
      writeRecord(writer, record);
      writer.join();
    }
    writer.join().tag(3, LEN).string('https://opentelemetry.io/schemas/1.37.0').join();
  }
  return Buffer.from(writer.finish());
}
