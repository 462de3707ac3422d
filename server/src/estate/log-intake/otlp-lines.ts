// Lines for the reader of logs, made of records of OTLP. Pure. Guards: a record is one line or the lines of its text, so that each is
// counted; what the client says of a record is used only where the line itself does not say it.
import { isCsvStart } from '../../logs/read/csv.ts';
import { isJsonStart } from '../../logs/read/json.ts';
import { prefixOfLine } from '../../logs/read/prefix.ts';
import { ENGLISH, WORDS } from '../../logs/severities.ts';
import type { OtlpAttributes, OtlpRecord, OtlpValue } from './otlp.ts';

type Members = Readonly<Record<string, OtlpValue>>;

const isMembers = (value: OtlpValue): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const has = (members: Members, ...names: readonly string[]) =>
  names.some((name) => Object.hasOwn(members, name));

/** As the clients of OTLP name what jsonlog has names for. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  state_code: ['db.response.status_code', 'state_code', 'sql_state_code'],
  dbname: ['db.namespace', 'db.name', 'dbname', 'database_name'],
  user: ['db.user', 'user.name', 'user', 'user_name'],
  pid: ['process.pid', 'pid', 'process_id'],
  application_name: ['application_name'],
  detail: ['detail'],
  hint: ['hint'],
  context: ['context'],
  statement: ['db.query.text', 'db.statement', 'statement', 'query'],
};

const timesOf = (time: number): { iso?: string; written?: string } => {
  if (Number.isNaN(time) || Math.abs(time) > 8.64e15) return {};
  const iso = new Date(time).toISOString();
  return { iso, written: `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC` };
};

/** An event that is members already, or members that carry one. */
function ofMembers(members: Members, time: number): string {
  const { iso, written } = timesOf(time);
  const isEvent = has(members, 'error_severity') && !has(members, 'timestamp', 'log_time');
  const own = { ...(iso !== undefined && { time: iso }), ...(isEvent && written && { timestamp: written }) };
  return JSON.stringify({ ...own, ...members });
}

/** A message whose severity and fields stand beside it. */
function ofMessage(message: string, { severity, attributes, time }: OtlpRecord): string {
  const { written } = timesOf(time);
  const fields = Object.entries(NAMES).flatMap(([field, names]): [string, OtlpValue][] => {
    const name = names.find((one) => Object.hasOwn(attributes, one));
    return name === undefined ? [] : [[field, attributes[name] ?? null]];
  });
  return JSON.stringify({
    ...(written !== undefined && { timestamp: written }),
    ...Object.fromEntries(fields),
    error_severity: severity,
    message,
  });
}

const isSeverity = (word: string) => {
  const found = WORDS.get(word);
  return ENGLISH.has(word) && found !== undefined && 'severity' in found;
};

function ofText(text: string, record: OtlpRecord): string {
  const [first = ''] = text.split('\n', 1);
  if (isCsvStart(first) || isJsonStart(first)) return text.replace(/\r?\n$/, '');
  if (isSeverity(record.severity) && prefixOfLine(first) === undefined) return ofMessage(text, record);
  const { iso } = timesOf(record.time);
  return JSON.stringify({ log: text, ...(iso !== undefined && { time: iso }) });
}

const isEventOf = (attributes: OtlpAttributes, body: OtlpValue) =>
  has(attributes, 'error_severity') && (has(attributes, 'message') || typeof body === 'string');

/** Empty for a record without a body. */
export function lineOf(record: OtlpRecord): string {
  const { body, attributes, time } = record;
  if (isMembers(body)) return ofMembers(body, time);
  if (isEventOf(attributes, body)) return ofMembers({ message: body, ...attributes }, time);
  if (typeof body === 'string') return ofText(body, record);
  return body === null ? '' : String(body);
}
