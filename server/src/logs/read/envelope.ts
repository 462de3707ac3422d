// Lines of PostgreSQL within what carries them: JSON of containers, journals and clouds, the lines of Kubernetes and of docker compose.
// Pure. Guards: only text that a known member or mark holds is taken out; what the carrier says of time and process fills in what the
// line itself does not say.
import { isRecord } from '../../kernel/read-json.ts';
import { encoded } from '../text.ts';
import { recordsOfOtlp } from './otlp-records.ts';
import { prefixOfLine } from './prefix.ts';

export interface Carried {
  /** Lines of PostgreSQL, without the end of the last one. */
  text: string;
  /** The rest of the line comes with the next one of the same stream. */
  isPartial: boolean;
  stream: string;
  /** Milliseconds since 1970, or NaN. */
  time: number;
  pid: string;
  /** A record of a list that may begin with the newest. */
  isListed?: boolean;
}

export type JsonRecord = ReadonlyMap<string, unknown>;

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Characters that JSON has as escapes, in bytes as all others are. */
export const inBytes = (text: string): string => text.replaceAll(/[\u0100-\uffff]+/g, encoded);

export const recordOf = (value: unknown): JsonRecord | undefined =>
  isRecord(value) ? new Map(Object.entries(value)) : undefined;

/** Too large for a number of JavaScript, so it is read as text; within a text its name has escaped quotes. */
const IDENTIFIER = /("query_id":\s?)(-?\d{16,20})(?=[,}])/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.includes('"query_id":') ? text.replace(IDENTIFIER, '$1"$2"') : text);
  } catch {
    return undefined;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const streamsOf = (record: JsonRecord) =>
  listOf(record.get('streams') ?? recordOf(record.get('data'))?.get('result'));

const isLoki = (record: JsonRecord): boolean => streamsOf(record).length > 0;

const isBackward = (pairs: readonly unknown[]) =>
  textOf(listOf(pairs[0])[0]) > textOf(listOf(pairs.at(-1))[0]);

/** Of Loki, as it is asked and as it is sent: pairs of a time and a line, within streams. */
const linesOfLoki = (record: JsonRecord): JsonRecord[] =>
  streamsOf(record)
    .map((stream) => listOf(recordOf(stream)?.get('values')))
    .flatMap((pairs) => (isBackward(pairs) ? pairs.toReversed() : pairs))
    .map((pair) => new Map([['line', listOf(pair)[1]]]));

/** Clouds list the newest first where they are not asked otherwise. */
function oldestFirst(list: readonly unknown[]): readonly unknown[] {
  const [first = '', last = ''] = [list[0], list.at(-1)].map((one) =>
    textOf(recordOf(one)?.get('timestamp')),
  );
  return first > last && last !== '' ? list.toReversed() : list;
}

/** A line of JSON as its objects, also one of a list that has a line for each; undefined where there is none. */
export function jsonRecords(line: string): JsonRecord[] | undefined {
  const value = parsed(line) ?? parsed(line.replace(/^\s*[[,]\s*(?=\{)/, '').replace(/\}\s*[,\]]\s*$/, '}'));
  const whole = recordOf(value);
  // Answers of CloudWatch, of Azure and of Aiven are lists within a record.
  const within = ['events', 'records', 'logs'].map((name) => whole?.get(name)).find(Array.isArray);
  const list = oldestFirst(within ?? (Array.isArray(value) ? value : [value]));
  const isOtlp = whole?.has('resourceLogs') === true || whole?.has('timeUnixNano') === true;
  const otlp = isOtlp ? recordsOfOtlp(Object(value))?.flatMap((one) => recordOf(one) ?? []) : undefined;
  const records =
    otlp ?? (whole && isLoki(whole) ? linesOfLoki(whole) : list.flatMap((one) => recordOf(one) ?? []));
  return records.length === 0 ? undefined : records;
}

/** Supabase has the columns in lists within lists, and the message beside them. */
function parsedRecords(record: JsonRecord): JsonRecord[] {
  const message = record.get('event_message');
  if (typeof message !== 'string') return [];
  return listOf(record.get('metadata'))
    .flatMap((one) => listOf(recordOf(one)?.get('parsed')))
    .flatMap((one) => recordOf(one) ?? [])
    .map((one) => new Map([...one, ['message', message]]));
}

/** Of CloudNativePG, also within Cloud Logging, of Azure, of Elasticsearch, of Fluent Bit, of Datadog, of Splunk and of Rust. */
const INNER = [
  'record',
  'properties',
  'jsonPayload',
  'log',
  '_source',
  'log_processed',
  'content',
  'result',
  'fields',
];

/** Members within which others have the event. */
export function innerRecords(record: JsonRecord): JsonRecord[] {
  const inner = INNER.flatMap((name) => recordOf(record.get(name)) ?? []);
  const innermost = inner.flatMap((one) => recordOf(one.get('record')) ?? []);
  return [...inner, ...innermost, ...parsedRecords(record)];
}

/** Levels of lists and members that are looked at. */
const DEEPEST = 8;

/** All records within others, and lists of texts as one record; for what no program is known to write. */
export function nestedRecords(record: JsonRecord, depth = 0): JsonRecord[] {
  if (depth > DEEPEST) return [];
  return [...record.values()].flatMap(listOrOne).flatMap((value) => {
    const found = Array.isArray(value) ? textsOf(value) : recordOf(value);
    return found === undefined ? [] : [found, ...nestedRecords(found, depth + 1)];
  });
}

const textsOf = (list: readonly unknown[]) => new Map([['log', `${list.join('\n')}\n`]]);

/** Of a list its members, but of texts the list as a whole. */
const listOrOne = (value: unknown): unknown[] =>
  Array.isArray(value) && !value.every((one) => typeof one === 'string') ? value.flatMap(listOrOne) : [value];

const TEXTS = [
  ...['log', 'MESSAGE', 'textPayload', '@message', '_raw', 'LogFileData'],
  ...['message', 'msg', 'line', '_line', 'full_message', 'short_message'],
] as const;
/** Of stores of logs, which list the newest first unless they are asked otherwise. */
const LISTED: ReadonlySet<string> = new Set(['textPayload', '@message', '_raw', 'message', 'line']);
const TIMES = ['time', 'timestamp', 'ts', '@timestamp'] as const;

function carrierTime(record: JsonRecord): number {
  const journal = Number(textOf(record.get('__REALTIME_TIMESTAMP')));
  if (journal > 0) return Math.round(journal / 1000);
  const text = TIMES.map((name) => record.get(name)).find((value) => typeof value === 'string');
  if (typeof text !== 'string') return Number.NaN;
  // Milliseconds or nanoseconds since 1970.
  const since = /^(\d{13})(?:\d{6})?$/.exec(text)?.[1];
  return since === undefined ? Date.parse(text) : Number(since);
}

/** Which of several containers, or of its outputs, a record is of. */
function streamOf(record: JsonRecord): string {
  const pod = textOf(recordOf(record.get('kubernetes'))?.get('pod_name'));
  return [pod, textOf(record.get('stream'))].filter((one) => one !== '').join(' ');
}

/** docker cuts long lines in pieces, of which the last one has the end of the line; Fluent Bit takes the end away, and says it. */
function isPiece(record: JsonRecord, text: string): boolean {
  if (record.has('logtag')) return record.get('logtag') === 'P';
  return record.has('stream') && record.has('time') && !record.has('kubernetes') && !text.endsWith('\n');
}

/** The text that a record carries; journals write as bytes what is no text. */
export function carriedBy(record: JsonRecord): Carried | undefined {
  // Filebeat has in `log` what the file is, and the line elsewhere.
  const name = TEXTS.find((one) => record.has(one) && recordOf(record.get(one)) === undefined);
  const value = name === undefined ? undefined : record.get(name);
  const whole =
    Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256)
      ? Buffer.from(value.map(Number)).toString('latin1')
      : value;
  if (typeof whole !== 'string') return undefined;
  const time = carrierTime(record);
  return {
    text: inBytes(whole.replace(/\r?\n$/, '')),
    isPartial: name === 'log' && isPiece(record, whole),
    stream: streamOf(record),
    time,
    pid: textOf(record.get('_PID')),
    isListed: name !== undefined && LISTED.has(name) && !Number.isNaN(time),
  };
}

/** A member on a line of its own, as of JSON that is written for people. */
const MEMBER = /^\s*"(textPayload|MESSAGE|log|message|[\w.@-]{1,64})"\s?: ("(?:[^"\\]|\\.)*"),?$/;
const OF_TEXTS = /^(?:textPayload|MESSAGE|log|message)$/;

function carriedByMember(line: string): Carried | undefined {
  const [, name = '', quoted] = MEMBER.exec(line) ?? [];
  const [record] = (quoted === undefined ? undefined : jsonRecords(`{"textPayload":${quoted}}`)) ?? [];
  const found = record && carriedBy(record);
  return found &&
    (OF_TEXTS.test(name) || prefixOfLine(found.text) !== undefined || found.text.startsWith('\t'))
    ? found
    : undefined;
}

const KUBERNETES =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP]) /;
/** The T of the time, where lines of PostgreSQL have a space. */
const TIME_MARK_AT = 10;

function carriedByKubernetes(line: string): Carried | undefined {
  if (line.charAt(TIME_MARK_AT) !== 'T') return undefined;
  const found = KUBERNETES.exec(line);
  if (found === null) return undefined;
  const [head, time = '', stream = '', mark] = found;
  return { text: line.slice(head.length), isPartial: mark === 'P', stream, time: Date.parse(time), pid: '' };
}

/** A time before the line, as of `docker logs --timestamps`, drains and collectors. */
const TIMED =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?) (?:\{[\w.]{1,64}="[^}]{0,2000}\} |[\w./:-]{1,200} (?=\t|\d{4}-\d\d-\d\d \d\d:))?/;

export function carriedByTime(line: string): Carried | undefined {
  if (line.charAt(TIME_MARK_AT) !== 'T') return undefined;
  const found = TIMED.exec(line);
  if (found === null) return undefined;
  const [head, time = '', zone] = found;
  const written = `${time.replace(',', '.').replace(/([+-]\d\d)(\d\d)$/, '$1:$2')}${zone === undefined ? 'Z' : ''}`;
  return { text: line.slice(head.length), isPartial: false, stream: '', time: Date.parse(written), pid: '' };
}

/** A time and a tag before a record, as fluentd writes it. */
const TAGGED =
  /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)[ \t][\w.*-]{1,200}(?:: |\t)(?=\{")/;
const CLOSING = 125;

function carriedByTag(line: string): Carried | undefined {
  const head = line.charCodeAt(line.length - 1) === CLOSING ? TAGGED.exec(line)?.[0] : undefined;
  if (head === undefined) return undefined;
  return { text: line.slice(head.length), isPartial: false, stream: '', time: Number.NaN, pid: '' };
}

/** What `journalctl -o export` and `-o verbose` write, a field a line. */
const EXPORTED = /^(?: {4})?MESSAGE=/;

function carriedByField(line: string): Carried | undefined {
  const head = line.includes('MESSAGE=') ? EXPORTED.exec(line)?.[0] : undefined;
  if (head === undefined) return undefined;
  return { text: line.slice(head.length), isPartial: false, stream: '', time: Number.NaN, pid: '' };
}

/** By what stands around a line for certain. */
export const carriedByMark = (line: string): Carried | undefined =>
  carriedByKubernetes(line) ?? carriedByMember(line) ?? carriedByField(line) ?? carriedByTag(line);

/**
 * `db-1  | …` of docker compose, `[pod/db-0/postgres] …` of kubectl logs --prefix, `db-0 postgres …` of stern, `pg.log:12:…` of grep.
 */
const NAMED =
  /^(?:([A-Za-z][\w.@-]{0,127}) +\| ?|\[(pod\/[^\]\s]{1,300})\] |([a-z][a-z\d.-]{0,252} [a-z][a-z\d-]{0,62}) (?=\d{4}-|\t)|([^\s:]{1,255}\.(?:log|csv|json)(?:\.\d{1,4})?(?:\.gz|\.zst)?)[:-](?:\d{1,10}[:-](?=\d{4}-|[\t[{]))?)/;

export function carriedByName(line: string): Carried | undefined {
  const found = NAMED.exec(line);
  if (found === null) return undefined;
  const stream = found[1] ?? found[2] ?? found[3] ?? found[4] ?? '';
  return { text: line.slice(found[0].length), isPartial: false, stream, time: Number.NaN, pid: '' };
}
