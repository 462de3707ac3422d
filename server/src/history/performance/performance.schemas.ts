// What the summaries of performance answer. Guards: a number that cannot be computed is absent, never a guess.
import * as s from '../../kernel/schema.ts';

const RatioSeries = s.component('RatioSeries', {
  current: s.optional(s.number({ description: 'Over the whole window.' })),
  time_series: s.list(s.object({ time: s.timestamp(), value: s.number() })),
});

const Transactions = s.object({
  commits_per_sec: s.optional(s.number({ description: 'Over the whole window.' })),
  rollback_percent: s.optional(s.number({ description: 'Over the whole window, of all that ended.' })),
  time_series: s.list(
    s.object({
      time: s.timestamp(),
      commits_per_sec: s.number(),
      rollback_percent: s.number({ description: '0 where no transaction ended.' }),
    }),
  ),
});

const Checkpoints = s.object({
  time_series: s.list(s.object({ time: s.timestamp(), write_time_ms: s.number(), sync_time_ms: s.number() })),
});

const PerfAggregate = s.object({
  cache_hit_ratio: s.optional(s.number()),
  commits_per_sec: s.optional(s.number()),
  rollback_percent: s.optional(s.number()),
});

const SecondWindow = { start_time: s.timestamp(), end_time: s.timestamp() };

const PerfConnection = s.component('PerfConnection', {
  connection_id: s.integer(),
  connection_name: s.text(),
  xid_age: s.list(
    s.object({
      database_name: s.text(),
      age: s.bytes({ description: 'Transactions since the oldest unfrozen one.' }),
      percent: s.number({ description: 'Of the 2,147,483,647 there can be.' }),
      collected_at: s.optional(s.ours(s.timestamp({ description: 'When the age was read.' }))),
    }),
  ),
  cache_hit_ratio: RatioSeries,
  transactions: Transactions,
  checkpoints: Checkpoints,
  compared: s.optional(
    s.ours(
      s.object(
        { cache_hit_ratio: RatioSeries, transactions: Transactions, checkpoints: Checkpoints },
        { description: 'In the second window, with compare; its points have the times of the first one.' },
      ),
    ),
  ),
});

export const PerfSummaryResponse = s.component('PerfSummaryResponse', {
  time_range: s.text({ description: 'As asked, or custom.' }),
  connections: s.list(PerfConnection),
  aggregate: s.optional(PerfAggregate),
  compared: s.optional(
    s.ours(
      s.object(
        { ...SecondWindow, aggregate: s.optional(PerfAggregate) },
        { description: 'The second window, with compare.' },
      ),
    ),
  ),
});

const OfWindow = {
  cache_hit_ratio: RatioSeries,
  transaction_rate: s.optional(s.number({ description: 'Transactions that ended, a second.' })),
  dead_tuple_ratio: s.optional(
    s.number({ description: 'Percent, over all tables that are watched, as last known in the window.' }),
  ),
};

const DatabaseSummary = s.component('DatabaseSummary', {
  database_name: s.text(),
  size_bytes: s.bytes({ description: '0 where the role that collects may not know it.' }),
  size_pretty: s.text({ description: 'The size as people read it, or unknown.' }),
  ...OfWindow,
  active_connections: s.integer(),
  size_collected_at: s.optional(s.ours(s.timestamp({ description: 'When the size was read.' }))),
  sessions_collected_at: s.optional(
    s.ours(s.nullable(s.timestamp({ description: 'When active_connections was read; null: never.' }))),
  ),
  compared: s.optional(
    s.ours(
      s.object(OfWindow, {
        description: 'In the second window, with compare; its points have the times of the first one.',
      }),
    ),
  ),
});

export const DatabaseSummaryResponse = s.component('DatabaseSummaryResponse', {
  databases: s.list(DatabaseSummary),
  compared: s.optional(s.ours(s.object(SecondWindow, { description: 'The second window, with compare.' }))),
});

const QueryCosts = {
  calls: s.bytes(),
  total_exec_time: s.number({ description: 'Milliseconds.' }),
  mean_exec_time: s.number({ description: 'Milliseconds of an execution.' }),
  rows: s.bytes(),
  shared_blks_hit: s.bytes(),
  shared_blks_read: s.bytes(),
};

export const TopQueryRow = s.component('TopQueryRow', {
  queryid: s.text(),
  database_name: s.text(),
  query: s.text({ description: 'Normalised, at most 64 KiB; empty where the text is not known.' }),
  ...QueryCosts,
  compared: s.optional(
    s.ours(
      s.nullable(
        s.object(QueryCosts, {
          description: 'In the second window, with compare; null where its database was not measured then.',
        }),
      ),
    ),
  ),
  load_percent: s.optional(
    s.ours(
      s.number({
        description:
          'Of the execution time of all statements that clients sent in the window, to the server or to the database that is named; absent with queryid.',
      }),
    ),
  ),
  exec_time_course: s.optional(
    s.ours(
      s.list(s.nullable(s.number()), {
        description:
          'With course_buckets: milliseconds of execution in each of as many equal parts of the window; null where statements were not counted.',
      }),
    ),
  ),
  is_own: s.optional(
    s.ours(
      s.nullable(s.boolean({ description: 'Sent by Matriarch itself; null where the text is not known.' })),
    ),
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
