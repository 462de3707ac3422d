// An event that JSON has as members: those of jsonlog, and the columns of csvlog as operators and clouds name them. Pure. Guards: what is of another
// type than the server writes is left out.
import { severityOf } from '../severities.ts';
import type { LogEvent } from '../types.ts';
import { bounded, eventOf, queryidOf } from './assembly.ts';
import { type JsonRecord, recordOf, textOf } from './envelope.ts';
import { prefixOfLine } from './prefix.ts';

/** Names of members of an event, as jsonlog has them, and as operators of Kubernetes and clouds write the columns of csvlog. */
const MEMBERS = {
  time: ['timestamp', 'log_time'],
  severity: ['error_severity', 'errorLevel'],
  sqlstate: ['state_code', 'sql_state_code', 'sqlerrcode'],
  pid: ['pid', 'process_id', 'processId'],
  user: ['user', 'user_name'],
  database: ['dbname', 'database_name'],
  application: ['application_name'],
  host: ['remote_host', 'connection_from'],
  detail: ['detail'],
  hint: ['hint'],
  query: ['internal_query'],
  context: ['context'],
  statement: ['statement', 'query'],
  queryid: ['query_id'],
} as const;

/** CloudNativePG takes the lines of pgaudit apart and leaves the message empty, or out. */
const hasMessage = (record: JsonRecord) => record.has('message') || record.has('audit');

/** Whether the message is the text alone; Azure writes the line as stderr has it. */
export const isJsonEvent = (record: JsonRecord): boolean =>
  hasMessage(record) &&
  (record.has('error_severity') ||
    (record.has('errorLevel') && ['detail', 'statement'].some((name) => textOf(record.get(name)) !== '')));

const AUDIT =
  'audit_type statement_id substatement_id class command object_type object_name statement parameter'.split(
    ' ',
  );

function auditOf(record: JsonRecord): string {
  const audit = recordOf(record.get('audit'));
  return audit === undefined ? '' : `AUDIT: ${AUDIT.map((name) => textOf(audit.get(name))).join(',')}`;
}

/** Azure has the line as stderr has it, beside its members. */
const withoutHead = (message: string): string => {
  const head = /^\d{4}-/.test(message) ? prefixOfLine(message) : undefined;
  return head === undefined
    ? message
    : message.replace(head.pattern, '').replace(/ at character \d{1,10}$/, '');
};

/** Older servers of Azure have time and session in a member of their own. */
const PREFIX = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3})? [A-Za-z]{1,6})-[\da-f]{1,16}\.([\da-f]{1,8})-/;

/** An event that JSON has as members; undefined where it is none. */
export function eventIn(record: JsonRecord, timeOf: (text: string) => number): LogEvent | undefined {
  const of = (names: readonly string[]) => textOf(record.get(names.find((name) => record.has(name)) ?? ''));
  const severity = severityOf(of(MEMBERS.severity));
  if (severity === undefined || !hasMessage(record)) return undefined;
  // A line of a statement that has nothing in it.
  if (record.has('errorLevel') && record.get('message') === '') return undefined;
  const [, prefixTime = '', session = ''] = PREFIX.exec(textOf(record.get('prefix'))) ?? [];
  const port = textOf(record.get('remote_port'));
  const host = of(MEMBERS.host);
  const event = eventOf({
    time: timeOf(of(MEMBERS.time) || prefixTime),
    severity,
    sqlstate: of(MEMBERS.sqlstate),
    pid: of(MEMBERS.pid) || (session === '' ? '' : String(Number.parseInt(session, 16))),
    user: of(MEMBERS.user),
    database: of(MEMBERS.database),
    application: of(MEMBERS.application),
    host: port === '' ? host : `${host}:${port}`,
    message: withoutHead(textOf(record.get('message'))) || auditOf(record),
    ...queryidOf(of(MEMBERS.queryid)),
  });
  event.detail = of(MEMBERS.detail);
  event.hint = of(MEMBERS.hint);
  event.query = of(MEMBERS.query);
  event.context = of(MEMBERS.context);
  event.statement = of(MEMBERS.statement);
  return bounded(event);
}
