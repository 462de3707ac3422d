// What the summaries of performance answer. Guards: a number that cannot be computed is absent, never a guess.
import {
  boolean,
  bytes,
  component,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';

const RatioSeries = component('RatioSeries', {
  current: optional(number({ description: 'Over the whole window.' })),
  time_series: list(object({ time: timestamp(), value: number() })),
});

const Transactions = object({
  commits_per_sec: optional(number({ description: 'Over the whole window.' })),
  rollback_percent: optional(number({ description: 'Over the whole window, of all that ended.' })),
  time_series: list(
    object({
      time: timestamp(),
      commits_per_sec: number(),
      rollback_percent: number({ description: '0 where no transaction ended.' }),
    }),
  ),
});

const Checkpoints = object({
  time_series: list(object({ time: timestamp(), write_time_ms: number(), sync_time_ms: number() })),
});

const PerfAggregate = object({
  cache_hit_ratio: optional(number()),
  commits_per_sec: optional(number()),
  rollback_percent: optional(number()),
});

const SecondWindow = { start_time: timestamp(), end_time: timestamp() };

const PerfConnection = component('PerfConnection', {
  connection_id: integer(),
  connection_name: text(),
  xid_age: list(
    object({
      database_name: text(),
      age: bytes({ description: 'Transactions since the oldest unfrozen one.' }),
      percent: number({ description: 'Of the 2,147,483,647 there can be.' }),
      collected_at: optional(ours(timestamp({ description: 'When the age was read.' }))),
    }),
  ),
  cache_hit_ratio: RatioSeries,
  transactions: Transactions,
  checkpoints: Checkpoints,
  compared: optional(
    ours(
      object(
        { cache_hit_ratio: RatioSeries, transactions: Transactions, checkpoints: Checkpoints },
        { description: 'In the second window, with compare; its points have the times of the first one.' },
      ),
    ),
  ),
});

export const PerfSummaryResponse = component('PerfSummaryResponse', {
  time_range: text({ description: 'As asked, or custom.' }),
  connections: list(PerfConnection),
  aggregate: optional(PerfAggregate),
  compared: optional(
    ours(
      object(
        { ...SecondWindow, aggregate: optional(PerfAggregate) },
        { description: 'The second window, with compare.' },
      ),
    ),
  ),
});

const OfWindow = {
  cache_hit_ratio: RatioSeries,
  transaction_rate: optional(number({ description: 'Transactions that ended, a second.' })),
  dead_tuple_ratio: optional(
    number({ description: 'Percent, over all tables that are watched, as last known in the window.' }),
  ),
};

const DatabaseSummary = component('DatabaseSummary', {
  database_name: text(),
  size_bytes: bytes({ description: '0 where the role that collects may not know it.' }),
  size_pretty: text({ description: 'The size as people read it, or unknown.' }),
  ...OfWindow,
  active_connections: integer(),
  size_collected_at: optional(ours(timestamp({ description: 'When the size was read.' }))),
  sessions_collected_at: optional(
    ours(nullable(timestamp({ description: 'When active_connections was read; null: never.' }))),
  ),
  compared: optional(
    ours(
      object(OfWindow, {
        description: 'In the second window, with compare; its points have the times of the first one.',
      }),
    ),
  ),
});

export const DatabaseSummaryResponse = component('DatabaseSummaryResponse', {
  databases: list(DatabaseSummary),
  compared: optional(ours(object(SecondWindow, { description: 'The second window, with compare.' }))),
});

const QueryCosts = {
  calls: bytes(),
  total_exec_time: number({ description: 'Milliseconds.' }),
  mean_exec_time: number({ description: 'Milliseconds of an execution.' }),
  rows: bytes(),
  shared_blks_hit: bytes(),
  shared_blks_read: bytes(),
};

export const TopQueryRow = component('TopQueryRow', {
  queryid: text(),
  database_name: text(),
  query: text({ description: 'Normalised, at most 64 KiB; empty where the text is not known.' }),
  ...QueryCosts,
  compared: optional(
    ours(
      nullable(
        object(QueryCosts, {
          description: 'In the second window, with compare; null where its database was not measured then.',
        }),
      ),
    ),
  ),
  load_percent: optional(
    ours(
      number({
        description:
          'Of the execution time of all statements that clients sent in the window, to the server or to the database that is named; absent with queryid.',
      }),
    ),
  ),
  exec_time_course: optional(
    ours(
      list(nullable(number()), {
        description:
          'With course_buckets: milliseconds of execution in each of as many equal parts of the window; null where statements were not counted.',
      }),
    ),
  ),
  is_own: optional(
    ours(nullable(boolean({ description: 'Sent by Matriarch itself; null where the text is not known.' }))),
  ),
});

export const QUERY_ORDERS = [
  'total_exec_time',
  'calls',
  'mean_exec_time',
  'rows',
  'shared_blks_hit',
  'shared_blks_read',
] as const;
