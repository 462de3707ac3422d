// The logs of all servers that the caller sees: how many events of which class, on which servers, and which logs are not read. Guards:
// nothing of a server that the caller does not see, also in sums.
import { windowQuery } from '../../history/metrics/metrics.schemas.ts';
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { LogEvent, WEIGHTS } from './log-events.schemas.ts';
import { eventsQuery, LogClassCount, STATES } from './server-logs.contract.ts';

export const MOST_SERVERS = 1000;
/** Where nothing else is asked for: hours of a day, six hours of a week, days of a month. */
export const BUCKETS = 36;

const ServerLogCounts = s.component('ServerLogCounts', {
  connection_id: s.id(),
  connection_name: s.text(),
  state: s.oneOf(STATES),
  reason: s.nullable(s.text({ description: 'Why nothing is read, or what is lacking of what is read.' })),
  critical: s.integer({ minimum: 0 }),
  warning: s.integer({ minimum: 0 }),
  others: s.integer({ minimum: 0 }),
  values: s.list(s.nullable(s.integer({ minimum: 0 })), {
    description: 'Critical events and warnings, one for each bucket; null where the log was not read.',
  }),
  classes: s.list(
    s.component('FrequentLogClass', {
      class: s.text(),
      title: s.text(),
      weight: s.oneOf(WEIGHTS),
      events: s.integer(),
    }),
    { description: 'At most three, what matters first.' },
  ),
});

const EstateLogCounts = s.component('EstateLogCounts', {
  start_time: s.timestamp({
    description:
      'The first bucket begins then, on a whole bucket where the window has two hours or more: events before the time asked for are not counted in it.',
  }),
  end_time: s.timestamp(),
  bucket_seconds: s.integer({
    description:
      'Whole minutes; of two hours or more: 10, 20 or 30 minutes, 1, 2, 3, 6 or 12 hours, or whole days.',
  }),
  total_events: s.integer({ minimum: 0, description: 'Without lines that belong to no event.' }),
  classes: s.list(LogClassCount, { description: 'Those that occurred: what matters first.' }),
  servers: s.list(ServerLogCounts, {
    description: `At most ${MOST_SERVERS}: the most critical events first.`,
  }),
  left_out: s.integer({ minimum: 0, description: 'Servers beyond those.' }),
});

const time = '2026-11-20T10:00:00.000Z';
const deadlock = { class: 'deadlock', title: 'Deadlock', weight: 'warning' };

export const getEstateLogCounts = operation({
  id: 'getEstateLogCounts',
  route: 'GET /api/v1/log-counts',
  tag: 'connections',
  summary: 'Events in the logs of all servers, by class, server and time',
  access: { visible: 'connections' },
  query: s.object({
    ...windowQuery('24h'),
    buckets: s.optional(s.integer({ minimum: 1, maximum: 60, default: BUCKETS, description: 'At most.' })),
  }),
  extra: true,
  success: ok(EstateLogCounts, {
    start_time: time,
    end_time: '2026-11-20T10:02:00.000Z',
    bucket_seconds: 60,
    total_events: 3,
    classes: [
      {
        ...deadlock,
        meaning: 'Two or more transactions waited for each other; PostgreSQL ended one of them.',
        remedy: 'Let all transactions lock rows and tables in the same order.',
        events: 3,
        kept: 3,
        values: [0, 3],
      },
    ],
    servers: [
      {
        ...{ connection_id: 2, connection_name: 'orders-primary', state: 'reading', reason: null },
        ...{ critical: 0, warning: 3, others: 0, values: [0, 3], classes: [{ ...deadlock, events: 3 }] },
      },
    ],
    left_out: 0,
  }),
});

export const EstateLogEvent = s.component('EstateLogEvent', {
  connection_id: s.id(),
  connection_name: s.text(),
  event: LogEvent,
});

const EstateLogEvents = s.component('EstateLogEvents', {
  events: s.list(EstateLogEvent, { description: 'Newest first, as each log says its time.' }),
  next_cursor: s.nullable(s.text({ description: 'Of the events before; null: there are none.' })),
  searched_back_to: s.nullable(
    s.timestamp({ description: 'As in listConnectionLogEvents: to this time the page is complete.' }),
  ),
});

export const listEstateLogEvents = operation({
  id: 'listEstateLogEvents',
  route: 'GET /api/v1/log-events',
  tag: 'connections',
  summary: 'Events in the logs of all servers, newest first',
  access: { permission: 'read_logs' },
  query: s.object(eventsQuery),
  extra: true,
  success: ok(EstateLogEvents, {
    events: [
      {
        connection_id: 2,
        connection_name: 'orders-primary',
        event: {
          ...{ id: '1041', occurred_at: time, ...deadlock, severity: 'ERROR', sqlstate: '40P01' },
          ...{ database_name: 'shop', user_name: 'app', application_name: 'checkout', process_id: '30444' },
          ...{ queryid: null, message: 'deadlock detected', detail: null, hint: null, context: null },
          ...{ statement: null, figures: {}, is_cut: false, deadlock_sides: null },
        },
      },
    ],
    next_cursor: null,
    searched_back_to: null,
  }),
  notes: ['Of servers that the caller sees. Otherwise as listConnectionLogEvents.'],
});
