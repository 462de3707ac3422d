// What was read of the log of a server: how many events there were, and those that matter with their texts. Guards: counts need the right to
// read the connection; texts, which may hold data even though they are masked, need a permission besides.

import { windowQuery } from '../../history/metrics/metrics.schemas.ts';
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { eventFilters, LogEvent, WEIGHTS } from './log-events.schemas.ts';

export const STATES = ['reading', 'stale', 'unreadable', 'never'] as const;
export const GAP_REASONS = [
  'removed',
  'truncated',
  'replaced',
  'format_changed',
  'line_too_long',
  'too_many',
  'incomplete',
] as const;

export const LogReading = s.component('LogReading', {
  state: s.oneOf(STATES, {
    description: 'Stale: not read for some minutes. Never: nothing was ever read of this log.',
  }),
  format: s.nullable(
    s.oneOf(['jsonlog', 'csvlog', 'stderr', 'otlp', 'syslog'], {
      description: 'otlp, syslog: records are sent to us.',
    }),
  ),
  since: s.nullable(s.timestamp({ description: 'Events from this time on are counted.' })),
  looked_at: s.nullable(s.timestamp()),
  read_until: s.nullable(
    s.timestamp({ description: 'Where reading is behind: events after this time are not counted yet.' }),
  ),
  reason: s.nullable(s.text({ description: 'Why nothing is read, or what is lacking of what is read.' })),
  mend: s.nullable(
    s.text({ description: 'SQL that fixes it; a superuser runs it in the database of the connection.' }),
  ),
});

export const LogClassCount = s.component('LogClassCount', {
  class: s.text({ description: 'Of an event; `unclassified`, or `no_event` of lines that belong to none.' }),
  title: s.text(),
  weight: s.oneOf(WEIGHTS),
  meaning: s.text(),
  remedy: s.text(),
  events: s.integer({ minimum: 0 }),
  kept: s.integer({
    minimum: 0,
    description: 'Of those, how many were kept with their texts, for 7 days or, where they matter, 90.',
  }),
  values: s.list(s.nullable(s.integer({ minimum: 0 })), {
    description:
      'One for each bucket; null where the log was not read, and where there is no count while bytes of it were lost.',
  }),
});

const LogNameCount = s.component('LogNameCount', {
  name: s.text({ description: '`(others)` where there were too many to tell apart.' }),
  events: s.integer({ minimum: 0 }),
  errors: s.integer({ minimum: 0, description: 'Of those, how many are an ERROR, FATAL or PANIC.' }),
});

const LogNames = s.component(
  'LogNames',
  {
    start_time: s.timestamp({ description: 'Of what is counted here: on ten whole minutes.' }),
    end_time: s.timestamp(),
    users: s.list(LogNameCount, { description: 'The 10 most frequent.' }),
    applications: s.list(LogNameCount, { description: 'The 10 most frequent.' }),
  },
  {
    description:
      'Events by the user and by the application that they name, kept for 90 days. Events of connections are not counted, since who cannot sign in chooses these names freely.',
  },
);

const LogCounts = s.component('LogCounts', {
  connection_id: s.id(),
  start_time: s.timestamp({ description: 'On a whole minute.' }),
  end_time: s.timestamp(),
  bucket_seconds: s.integer({ description: 'Whole minutes; the first bucket begins at start_time.' }),
  reading: LogReading,
  total_events: s.integer({ minimum: 0, description: 'Without lines that belong to no event.' }),
  classes: s.list(LogClassCount, {
    description: 'Those that occurred: what matters first, then the most frequent.',
  }),
  sqlstates: s.list(
    s.component('LogSqlstateCount', { sqlstate: s.text(), events: s.integer({ minimum: 0 }) }),
    {
      description: 'The 20 most frequent, without those of success.',
    },
  ),
  names: s.nullable(LogNames),
  gap_bytes: s.integer({
    minimum: 0,
    format: 'int64',
    description: 'Bytes of the log that could not be read.',
  }),
  gaps: s.list(
    s.component('LogGap', {
      noticed_at: s.timestamp(),
      file_name: s.text(),
      bytes: s.integer({ format: 'int64' }),
      reason: s.oneOf(GAP_REASONS),
    }),
    { description: 'The newest 50.' },
  ),
});

const LogEvents = s.component('LogEvents', {
  events: s.list(LogEvent, { description: 'Newest first.' }),
  next_cursor: s.nullable(s.text({ description: 'Of the events before; null: there are none.' })),
  searched_back_to: s.nullable(
    s.timestamp({
      description:
        'Where one page looked at as many events as it may: to this time it is complete. Older ones are searched with next_cursor.',
    }),
  ),
});

const time = '2026-11-20T10:00:00.000Z';
const deadlock = { class: 'deadlock', title: 'Deadlock', weight: 'warning' };

export const getConnectionLogCounts = operation({
  id: 'getConnectionLogCounts',
  route: 'GET /api/v1/connections/{id}/log-counts',
  tag: 'connections',
  summary: 'Events in the log of a server, by class and time',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  query: s.object({
    ...windowQuery('24h'),
    buckets: s.optional(s.integer({ minimum: 1, maximum: 200, default: 60, description: 'At most.' })),
    database_name: s.optional(s.text({ maxLength: 63 })),
  }),
  extra: true,
  success: ok(LogCounts, {
    connection_id: 1,
    start_time: time,
    end_time: '2026-11-20T10:03:00.000Z',
    bucket_seconds: 60,
    reading: {
      state: 'reading',
      format: 'stderr',
      since: '2026-11-20T10:01:00.000Z',
      looked_at: time,
      read_until: null,
      reason: null,
      mend: null,
    },
    total_events: 3,
    classes: [
      {
        ...deadlock,
        meaning: 'Two or more transactions waited for each other; PostgreSQL ended one of them.',
        remedy: 'Let all transactions lock rows and tables in the same order.',
        events: 3,
        kept: 3,
        values: [null, 0, 3],
      },
    ],
    sqlstates: [{ sqlstate: '40P01', events: 3 }],
    names: {
      ...{ start_time: time, end_time: '2026-11-20T10:10:00.000Z' },
      users: [{ name: 'app', events: 3, errors: 3 }],
      applications: [{ name: 'checkout', events: 2, errors: 2 }],
    },
    gap_bytes: 0,
    gaps: [],
  }),
  notes: [
    'names is null where database_name is given, since they are not counted by database, and where none was counted in this time.',
    'Collectors read logs when collector.read_logs is on, and only of servers that have the function of the monitoring script.',
    'Every event is counted in the minute that the log says, also those whose texts are not kept.',
  ],
});

export const eventsQuery = {
  ...windowQuery('24h'),
  ...eventFilters,
  limit: s.optional(s.integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: s.optional(
    s.text({ pattern: '^[0-9]{1,16}-[0-9]{1,18}$', description: 'next_cursor of the page before.' }),
  ),
};

export const listConnectionLogEvents = operation({
  id: 'listConnectionLogEvents',
  route: 'GET /api/v1/connections/{id}/log-events',
  tag: 'connections',
  summary: 'Events of the log of a server, newest first',
  access: { connection: 'id', need: 'read', permission: 'read_logs' },
  ...byId(1),
  query: s.object(eventsQuery),
  extra: true,
  success: ok(LogEvents, {
    events: [
      {
        id: '1041',
        occurred_at: time,
        ...deadlock,
        severity: 'ERROR',
        sqlstate: '40P01',
        database_name: 'shop',
        user_name: 'app',
        application_name: 'checkout',
        process_id: '30444',
        queryid: null,
        message: 'deadlock detected',
        detail: 'Process 30444 waits for ShareLock on transaction 771; blocked by process 30451.',
        hint: 'See server log for query details.',
        context: null,
        statement: 'update orders set state = $1 where id = $2',
        figures: {},
        is_cut: false,
        deadlock_sides: [
          {
            process_id: '30444',
            mode: 'ShareLock',
            waits_for: 'transaction 771',
            blocked_by: '30451',
            statement: 'update orders set state = $1 where id = $2',
            is_ended: true,
          },
          {
            process_id: '30451',
            mode: 'ShareLock',
            waits_for: 'transaction 772',
            blocked_by: '30444',
            statement: 'update stock set n = $1 where id = $2',
            is_ended: false,
          },
        ],
      },
    ],
    next_cursor: null,
    searched_back_to: null,
  }),
  notes: [
    'Events of classes that matter are kept for 90 days, at most 200 of a class in each MiB of the log; all others for 7 days, within logs.bytes_per_day. The counts are of all.',
    'Lines that belong to no event (`no_event`) are counted only.',
  ],
});
