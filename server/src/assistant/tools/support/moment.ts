// A moment of a server, in tables: each part says of when it is, or why it is not known.
import type { getConnectionMoment } from '../../../insight/insight.ts';
import type { Section } from './answer.ts';

export type Moment = Awaited<ReturnType<typeof getConnectionMoment>>;

interface AgedFact {
  as_of: string | null;
  reason: string | null;
}

const headed = (title: string, { as_of }: AgedFact) => (as_of === null ? title : `${title}, as of ${as_of}`);
const unless = ({ reason }: AgedFact, otherwise: string) => reason ?? otherwise;

export function locksSection({ locks }: Pick<Moment, 'locks'>): Section {
  return {
    title: `${headed('Who blocks whom', locks)}: ${locks.waiting_count ?? 'unknown'} waiting`,
    columns: [
      ...['pid', 'blocked_by', 'blocks', 'state', 'user', 'application', 'database', 'gid', 'waits_for'],
      ...['object', 'waits_seconds', 'transaction_seconds', 'statement'],
    ],
    rows: (locks.nodes ?? []).map((one) => [
      ...[one.pid, one.blocked_by_pid, one.blocked_count, one.state, one.user_name, one.application_name],
      ...[
        one.database,
        one.gid,
        one.waits?.mode,
        one.waits?.object,
        one.waits?.seconds,
        one.transaction_seconds,
      ],
      one.query,
    ]),
    empty: unless(locks, 'No session waits for a lock.'),
  };
}

function sessionsSection({ sessions }: Moment): Section {
  return {
    title: headed('Sessions, those at work first', sessions),
    columns: [
      ...['pid', 'state', 'wait', 'user', 'application', 'database', 'statement_seconds'],
      ...['transaction_seconds', 'queryid', 'statement'],
    ],
    rows: (sessions.rows ?? []).map((one) => [
      ...[one.pid, one.state, one.wait_event_type && `${one.wait_event_type}:${one.wait_event}`],
      ...[one.user_name, one.application_name, one.database, one.query_seconds, one.transaction_seconds],
      ...[one.queryid, one.query],
    ]),
    total: sessions.total_count ?? undefined,
    rest: 'A larger limit shows more.',
    empty: unless(sessions, 'There was no session.'),
  };
}

function waitsSection({ waits }: Moment): Section {
  return {
    title: headed('Active sessions by what they waited for', waits),
    columns: ['wait_class', 'sessions'],
    rows: (waits.classes ?? []).map(({ wait_class, sessions }) => [wait_class, sessions]),
    empty: unless(waits, 'No session was active.'),
  };
}

function progressSection({ progress }: Moment): Section {
  return {
    title: headed('Commands under way', progress),
    columns: ['command', 'pid', 'database', 'relation', 'phase', 'percent', 'running_seconds'],
    rows: (progress.rows ?? []).map((one) => [
      ...[one.command, one.pid, one.database, one.relation, one.phase, one.percent, one.running_seconds],
    ]),
    empty: unless(progress, 'None.'),
  };
}

function hostSection({ host: { cpu, memory, load } }: Moment): Section {
  const rows = [
    ['processor busy %', cpu.busy_percent, cpu.as_of, cpu.reason],
    ['load of one minute', load.one_minute, load.as_of, load.reason],
    ['memory used bytes', memory.used_bytes, memory.as_of, memory.reason],
    ['memory total bytes', memory.total_bytes, memory.as_of, memory.reason],
  ] as const;
  return {
    title: 'Machine',
    columns: ['what', 'value', 'as_of', 'why_not_known'],
    rows,
    empty: 'Not known.',
  };
}

function logsSection({ logs }: Moment): Section {
  const { counted_from, counted_to } = logs;
  const lacks = logs.classes !== null && logs.reason !== null ? `. ${logs.reason}` : '';
  return {
    title: `Log, all events by class from ${counted_from} to ${counted_to}${lacks}`,
    columns: ['class', 'weight', 'title', 'events'],
    rows: (logs.classes ?? []).map((one) => [one.class, one.weight, one.title, one.events]),
    empty: logs.classes === null ? unless(logs, 'Not known.') : 'No event is counted.',
  };
}

function logEventsSection({ logs }: Moment): Section {
  const { start_time, end_time, events, events_reason } = logs;
  return {
    title: `Log, events with texts from ${start_time} to ${end_time}; literals and secrets are masked`,
    columns: ['occurred_at', 'class', 'severity', 'user', 'database', 'process_id', 'message', 'statement'],
    rows: (events ?? []).map((one) => [
      ...[one.occurred_at, one.class, one.severity, one.user_name, one.database_name, one.process_id],
      ...[one.message, one.statement],
    ]),
    more: logs.is_cut,
    rest: 'get_logs lists the others.',
    empty: events_reason ?? (events === null ? unless(logs, 'Not known.') : 'No event was kept.'),
  };
}

export const momentSections = (moment: Moment): Section[] => [
  waitsSection(moment),
  sessionsSection(moment),
  locksSection(moment),
  progressSection(moment),
  hostSection(moment),
  logsSection(moment),
  logEventsSection(moment),
];
