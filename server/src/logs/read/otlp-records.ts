// Records of files that the OpenTelemetry Collector writes, a request a line, as the records that other programs write. Pure. Guards: what the
// Collector says of time and severity is used only where the line itself does not say it; depth is bounded.
import { isRecord } from '../../kernel/read-json.ts';
import { severityOf } from '../severities.ts';
import { prefixOfLine } from './prefix.ts';

type Members = Record<string, unknown>;

const DEEPEST = 12;
/** Of the last day that JavaScript knows. */
const LAST_NANOS = 8.64e21;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const within = (value: unknown, name: string): unknown[] => (isRecord(value) ? listOf(value[name]) : []);

function anyOf(value: unknown, depth = 0): unknown {
  if (!isRecord(value) || depth > DEEPEST) return undefined;
  if (isRecord(value.kvlistValue)) return membersOf(value.kvlistValue.values, depth + 1);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}

const membersOf = (pairs: unknown, depth = 0): Members =>
  Object.fromEntries(
    listOf(pairs).flatMap((pair) =>
      isRecord(pair) && typeof pair.key === 'string' ? [[pair.key, anyOf(pair.value, depth)]] : [],
    ),
  );

/** What its conventions call the members of an event. */
const NAMES: Readonly<Record<string, string>> = {
  'db.response.status_code': 'state_code',
  'db.namespace': 'dbname',
  'db.user': 'user',
  'user.name': 'user',
  'process.pid': 'pid',
  'db.query.text': 'statement',
};

function recordOf(record: Members, pod: unknown): Members {
  const nanos = [record.timeUnixNano, record.observedTimeUnixNano].find(
    (one) => Number(one) > 0 && Number(one) < LAST_NANOS,
  );
  const body = anyOf(record.body);
  const attributes = Object.fromEntries(
    Object.entries(membersOf(record.attributes)).map(([name, value]) => [NAMES[name] ?? name, value]),
  );
  const own = isRecord(body) ? body : attributes;
  const severity = severityOf(String(own.error_severity ?? record.severityText));
  // Collectors write INFO beside whatever they read.
  const isEvent =
    own.error_severity !== undefined || (typeof body === 'string' && own.state_code !== undefined);
  if (!isEvent || severity === undefined || (typeof body === 'string' && prefixOfLine(body) !== undefined))
    return {
      ...(nanos !== undefined && { timestamp: String(nanos) }),
      ...(typeof pod === 'string' && { kubernetes: { pod_name: pod } }),
      ...(isRecord(body) ? body : { message: body }),
    };
  const written = new Date(Number(nanos ?? 0) / 1_000_000)
    .toISOString()
    .replace('T', ' ')
    .replace('Z', ' UTC');
  return {
    timestamp: written,
    ...(typeof body === 'string' && { message: body }),
    ...own,
    error_severity: severity,
  };
}

/** Of a request, or of one of its records; undefined where it is none of the Collector. */
export function recordsOfOtlp(request: Members): Members[] | undefined {
  if ('timeUnixNano' in request && isRecord(request.body)) return [recordOf(request, undefined)];
  if (!Array.isArray(request.resourceLogs)) return undefined;
  return request.resourceLogs.flatMap((group: unknown) => {
    const resource = isRecord(group) && isRecord(group.resource) ? membersOf(group.resource.attributes) : {};
    return within(group, 'scopeLogs')
      .flatMap((scope) => within(scope, 'logRecords'))
      .flatMap((record) => (isRecord(record) ? [recordOf(record, resource['k8s.pod.name'])] : []));
  });
}
