// OTLP in JSON, as its specification maps the messages: names in lowerCamelCase, 64-bit numbers as text or numbers. Guards: members that
// are not known are passed over; what has another shape than it must have is refused.
import { createHash } from 'node:crypto';
import { isRecord } from '../../kernel/read-json.ts';
import {
  BadOtlp,
  DEEPEST,
  type OtlpAttributes,
  type OtlpGroup,
  type OtlpRecord,
  type OtlpValue,
  RecordCount,
  timeOf,
} from './otlp.ts';

type Json = Readonly<Record<string, unknown>>;

function objectIn(value: unknown): Json {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw new BadOtlp('a member that must be an object is none');
  return value;
}

function listIn(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new BadOtlp('a member that must be a list is none');
  return value;
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function nanosIn(value: unknown): bigint {
  const isNumber = typeof value === 'number' && Number.isFinite(value) && value >= 0;
  if (isNumber) return BigInt(Math.trunc(value));
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : 0n;
}

function numberIn(value: unknown): OtlpValue {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function valueIn(value: unknown, depth: number): OtlpValue {
  const any = objectIn(value);
  if (depth > DEEPEST) return null;
  if (typeof any.stringValue === 'string') return any.stringValue;
  if (typeof any.boolValue === 'boolean') return any.boolValue;
  if (any.intValue !== undefined) return numberIn(any.intValue);
  if (any.doubleValue !== undefined) return numberIn(any.doubleValue);
  if (typeof any.bytesValue === 'string') return Buffer.from(any.bytesValue, 'base64').toString('utf8');
  if (any.arrayValue !== undefined)
    return listIn(objectIn(any.arrayValue).values).map((one) => valueIn(one, depth + 1));
  return any.kvlistValue === undefined ? null : pairsIn(objectIn(any.kvlistValue).values, depth + 1);
}

function pairsIn(value: unknown, depth: number): OtlpAttributes {
  const pairs = listIn(value).map((one): [string, OtlpValue] => {
    const pair = objectIn(one);
    return [textIn(pair.key), valueIn(pair.value, depth)];
  });
  return Object.fromEntries(pairs);
}

function recordIn(value: unknown): OtlpRecord {
  const record = objectIn(value);
  return {
    time: timeOf(nanosIn(record.timeUnixNano), nanosIn(record.observedTimeUnixNano)),
    severity: textIn(record.severityText),
    body: valueIn(record.body, 0),
    attributes: pairsIn(record.attributes, 0),
  };
}

function groupIn(value: unknown, count: RecordCount): OtlpGroup {
  const group = objectIn(value);
  const records = listIn(group.scopeLogs).flatMap((scope) =>
    listIn(objectIn(scope).logRecords).map((record) => {
      count.add();
      return recordIn(record);
    }),
  );
  return {
    hash: createHash('sha256').update(JSON.stringify(value)).digest(),
    resource: pairsIn(objectIn(group.resource).attributes, 0),
    records,
  };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    // A byte of another encoding is one character that is lost, not the records of the request.
    return JSON.parse(new TextDecoder('utf-8').decode(bytes));
  } catch (cause) {
    throw new BadOtlp('it is no JSON', { cause });
  }
}

/** BadOtlp where it is none. */
export function decodeJson(bytes: Uint8Array): OtlpGroup[] {
  const value = parsed(bytes);
  if (!isRecord(value)) throw new BadOtlp('it is no ExportLogsServiceRequest');
  const count = new RecordCount();
  return listIn(value.resourceLogs).map((one) => groupIn(one, count));
}
