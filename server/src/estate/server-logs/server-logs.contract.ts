// What was read of the log of a server: how many events there were, and those that matter with their texts. Guards: counts need the right to
// read the connection; texts, which may hold data even though they are masked, need a permission besides.

import { windowQuery } from '../../history/metrics/metrics.schemas.ts';
import { byId, ok, operation } from '../../kernel/contract.ts';
import {
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
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

export const LogReading = object(
  {
    state: oneOf(STATES, {
      description: 'Stale: not read for some minutes. Never: nothing was ever read of this log.',
    }),
    format: nullable(
      oneOf(['jsonlog', 'csvlog', 'stderr', 'otlp', 'syslog'], {
        description: 'otlp, syslog: records are sent to us.',
      }),
    ),
    since: nullable(timestamp({ description: 'Events from this time on are counted.' })),
    looked_at: nullable(timestamp()),
    read_until: nullable(
      timestamp({ description: 'Where reading is behind: events after this time are not counted yet.' }),
    ),
    reason: nullable(text({ description: 'Why nothing is read, or what is lacking of what is read.' })),
    mend: nullable(
      text({ description: 'SQL that fixes it; a superuser runs it in the database of the connection.' }),
    ),
  },
  { title: 'LogReading' },
);

export const LogClassCount = object(
  {
    class: text({ description: 'Of an event; `unclassified`, or `no_event` of lines that belong to none.' }),
    title: text(),
    weight: oneOf(WEIGHTS),
    meaning: text(),
    remedy: text(),
    events: integer({ minimum: 0 }),
    kept: integer({
      minimum: 0,
      description: 'Of those, how many were kept with their texts, for 7 days or, where they matter, 90.',
    }),
    values: list(nullable(integer({ minimum: 0 })), {
      description:
        'One for each bucket; null where the log was not read, and where there is no count while bytes of it were lost.',
    }),
  },
  { title: 'LogClassCount' },
);

const LogNameCount = object(
  {
    name: text({ description: '`(others)` where there were too many to tell apart.' }),
    events: integer({ minimum: 0 }),
    errors: integer({ minimum: 0, description: 'Of those, how many are an ERROR, FATAL or PANIC.' }),
  },
  { title: 'LogNameCount' },
);

const LogNames = object(
  {
    start_time: timestamp({ description: 'Of what is counted here: on ten whole minutes.' }),
    end_time: timestamp(),
    users: list(LogNameCount, { description: 'The 10 most frequent.' }),
    applications: list(LogNameCount, { description: 'The 10 most frequent.' }),
  },
  {
    title: 'LogNames',
    description:
      'Events by the user and by the application that they name, kept for 90 days. Events of connections are not counted, since who cannot sign in chooses these names freely.',
  },
);

const LogCounts = object(
  {
    connection_id: id(),
    start_time: timestamp({ description: 'On a whole minute.' }),
    end_time: timestamp(),
    bucket_seconds: integer({ description: 'Whole minutes; the first bucket begins at start_time.' }),
    reading: LogReading,
    total_events: integer({ minimum: 0, description: 'Without lines that belong to no event.' }),
    classes: list(LogClassCount, {
      description: 'Those that occurred: what matters first, then the most frequent.',
    }),
    sqlstates: list(
      object({ sqlstate: text(), events: integer({ minimum: 0 }) }, { title: 'LogSqlstateCount' }),
      {
        description: 'The 20 most frequent, without those of success.',
      },
    ),
    names: nullable(LogNames),
    gap_bytes: integer({
      minimum: 0,
      format: 'int64',
      description: 'Bytes of the log that could not be read.',
    }),
    gaps: list(
      object(
        {
          noticed_at: timestamp(),
          file_name: text(),
          bytes: integer({ format: 'int64' }),
          reason: oneOf(GAP_REASONS),
        },
        { title: 'LogGap' },
      ),
      { description: 'The newest 50.' },
    ),
  },
  { title: 'LogCounts' },
);

const LogEvents = object(
  {
    events: list(LogEvent, { description: 'Newest first.' }),
    next_cursor: nullable(text({ description: 'Of the events before; null: there are none.' })),
    searched_back_to: nullable(
      timestamp({
        description:
          'Where one page looked at as many events as it may: to this time it is complete. Older ones are searched with next_cursor.',
      }),
    ),
  },
  { title: 'LogEvents' },
);

const time = '2026-11-20T10:00:00.000Z';
const deadlock = { class: 'deadlock', title: 'Deadlock', weight: 'warning' };

export const getConnectionLogCounts = operation({
  id: 'getConnectionLogCounts',
  method: 'GET',
  path: '/api/v1/connections/{id}/log-counts',
  tag: 'connections',
  summary: 'Events in the log of a server, by class and time',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  query: object({
    ...windowQuery('24h'),
    buckets: optional(integer({ minimum: 1, maximum: 200, default: 60, description: 'At most.' })),
    database_name: optional(text({ maxLength: 63 })),
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
  limit: optional(integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: optional(
    text({ pattern: '^[0-9]{1,16}-[0-9]{1,18}$', description: 'next_cursor of the page before.' }),
  ),
};

export const listConnectionLogEvents = operation({
  id: 'listConnectionLogEvents',
  method: 'GET',
  path: '/api/v1/connections/{id}/log-events',
  tag: 'connections',
  summary: 'Events of the log of a server, newest first',
  access: { connection: 'id', need: 'read', permission: 'read_logs' },
  ...byId(1),
  query: object(eventsQuery),
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
