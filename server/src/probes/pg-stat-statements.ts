// What statements cost, by database, user and query id. Guards: the extension shows all databases wherever it is
// installed, so it is read once for all of them; no database crowds out another; never the texts, which lie in a file
// of the server that may be large: those are fetched apart, once.
import { type Capabilities, defineProbe, hasColumn } from './types.ts';
import { counters, labels, millisecondCounters, times, viewColumns } from './view-columns.ts';

const EXTENSION = 'pg_stat_statements';
const VIEW = `@${EXTENSION}.pg_stat_statements`;
const INFO_VIEW = `@${EXTENSION}.pg_stat_statements_info`;

const milliseconds = (name: string, description: string) =>
  ({ name, type: 'double precision', kind: 'gauge', unit: 'ms', description }) as const;

const keys = [
  { name: 'userid', type: 'bigint', kind: 'key', description: 'Object id of the role.' },
  { name: 'dbid', type: 'bigint', kind: 'key', description: 'Object id of the database.' },
  { name: 'toplevel', type: 'boolean', kind: 'key', description: 'False: run inside a function.' },
  { name: 'queryid', type: 'text', kind: 'key', description: 'Hash of the normalized statement, 64 bits.' },
] as const;

const planning = [
  ...counters('count', [['plans', 'Times planned; 0 while pg_stat_statements.track_planning is off.']]),
  ...millisecondCounters([
    ['total_plan_time', 'Time spent planning it; 0 while pg_stat_statements.track_planning is off.'],
  ]),
  milliseconds('min_plan_time', 'Shortest planning since minmax_stats_since.'),
  milliseconds('max_plan_time', 'Longest planning since minmax_stats_since.'),
  milliseconds('mean_plan_time', 'Mean since stats_since.'),
  milliseconds('stddev_plan_time', 'Standard deviation since stats_since.'),
];

const execution = [
  ...counters('count', [['calls', 'Times the statement was executed.']]),
  ...millisecondCounters([['total_exec_time', 'Time of executing.']]),
  milliseconds('min_exec_time', 'Shortest execution since minmax_stats_since.'),
  milliseconds('max_exec_time', 'Longest execution since minmax_stats_since.'),
  milliseconds('mean_exec_time', 'Mean since stats_since.'),
  milliseconds('stddev_exec_time', 'Standard deviation since stats_since.'),
  ...counters('rows', [['rows', 'Rows returned or touched.']]),
];

const blocks = [
  ...counters('blocks', [
    ['shared_blks_hit', 'Blocks found in shared buffers.'],
    ['shared_blks_read', 'Shared blocks read from disk or the system cache.'],
    ['shared_blks_dirtied', 'Blocks changed for the first time.'],
    ['shared_blks_written', 'Blocks written by the statement itself.'],
    ['local_blks_hit', 'Blocks of temporary tables found.'],
    ['local_blks_read', 'Blocks of temporary tables read.'],
    ['local_blks_dirtied', 'Blocks of temporary tables changed.'],
    ['local_blks_written', 'Blocks of temporary tables written.'],
    ['temp_blks_read', 'Blocks of temporary files read.'],
    ['temp_blks_written', 'Blocks of temporary files written.'],
  ]),
  ...millisecondCounters([
    ['shared_blk_read_time', 'Time reading blocks; 0 while track_io_timing is off.'],
    ['shared_blk_write_time', 'Time writing blocks; 0 while track_io_timing is off.'],
    ['local_blk_read_time', 'Time reading blocks of temporary tables (17+).'],
    ['local_blk_write_time', 'Time writing blocks of temporary tables (17+).'],
    ['temp_blk_read_time', 'Time reading temporary files (15+).'],
    ['temp_blk_write_time', 'Time writing temporary files (15+).'],
  ]),
];

const wal = [
  ...counters('count', [
    ['wal_records', 'WAL records written.'],
    ['wal_fpi', 'WAL images of full pages written.'],
  ]),
  ...counters('bytes', [['wal_bytes', 'Bytes of WAL that it wrote.']]),
  ...counters('count', [['wal_buffers_full', 'Times that WAL buffers were full (18+).']]),
];

const jit = [
  ...counters('count', [['jit_functions', 'Functions compiled (15+).']]),
  ...millisecondCounters([['jit_generation_time', 'Time generating code (15+).']]),
  ...counters('count', [['jit_inlining_count', 'Times functions were inlined (15+).']]),
  ...millisecondCounters([['jit_inlining_time', 'Time inlining (15+).']]),
  ...counters('count', [['jit_optimization_count', 'Times code was optimized (15+).']]),
  ...millisecondCounters([['jit_optimization_time', 'Time optimizing (15+).']]),
  ...counters('count', [['jit_emission_count', 'Times code was emitted (15+).']]),
  ...millisecondCounters([['jit_emission_time', 'Time emitting code (15+).']]),
  ...counters('count', [['jit_deform_count', 'Functions compiled to read rows (17+).']]),
  ...millisecondCounters([['jit_deform_time', 'Time compiling those (17+).']]),
];

const rest = [
  ...counters('count', [
    ['parallel_workers_to_launch', 'Parallel workers planned (18+).'],
    ['parallel_workers_launched', 'Parallel workers launched (18+).'],
    ['generic_plan_calls', 'Times it was run by a generic plan (19+).'],
    ['custom_plan_calls', 'Times it was run by a plan for its values (19+).'],
  ]),
  ...times([
    ['stats_since', 'When this statement was first counted (17+).'],
    ['minmax_stats_since', 'Since when shortest and longest are meant (17+).'],
  ]),
];

const ofView = [...planning, ...execution, ...blocks, ...wal, ...jit, ...rest];

/** Names that columns had before 17, and before 13 where the extension was never updated. */
const former = {
  shared_blk_read_time: ['blk_read_time'],
  shared_blk_write_time: ['blk_write_time'],
  total_exec_time: ['total_time'],
  min_exec_time: ['min_time'],
  max_exec_time: ['max_time'],
  mean_exec_time: ['mean_time'],
  stddev_exec_time: ['stddev_time'],
};

const schemaOf = ({ extensionSchemas }: Capabilities) => extensionSchemas.get(EXTENSION) ?? 'public';

const toplevelOf = ({ columns }: Capabilities) =>
  columns.get(VIEW)?.has('toplevel') ? 's.toplevel' : 'true';

const timeOf = ({ columns }: Capabilities) =>
  columns.get(VIEW)?.has('total_exec_time') ? 's.total_exec_time' : 's.total_time';

/** numeric on the server; far beyond what it will ever reach it stands still rather than failing. */
const walBytes = (list: string) =>
  list.replace('s.wal_bytes::bigint', 'least(s.wal_bytes, 9223372036854775807)::bigint');

/** From 17 on each statement says since when it counts. Before, an eviction in between leaves that open, and so does a reset. */
function continuity(capabilities: Capabilities): string | undefined {
  if (hasColumn(capabilities, VIEW, 'stats_since')) return undefined;
  if (!hasColumn(capabilities, INFO_VIEW, 'dealloc')) return 'null';
  return `(
    select pg_catalog.concat_ws('/', i.dealloc, pg_catalog.date_part('epoch', i.stats_reset))
    from ${schemaOf(capabilities)}.pg_stat_statements_info i
  )`;
}

export const probe = defineProbe({
  name: 'pg_stat_statements',
  description: 'Cost of each statement; texts are kept once, in metrics.queries.',
  level: 'D',
  intervalSeconds: 300,
  watchedSeconds: 10,
  retentionDays: 7,
  keeps: 'objects',
  hidden: { without: 'pg_read_all_stats' },
  views: [VIEW, INFO_VIEW],
  requires: { extension: EXTENSION },
  serverWide: { databaseColumn: 'dbid' },
  settings: ['compute_query_id', 'pg_stat_statements.track', 'track_io_timing'],
  columns: [
    ...keys,
    ...labels([['username', 'Role.']]),
    ...ofView,
    ...times([['stats_reset', 'Last reset of all statements of the server.']]),
  ],
  metrics: [
    {
      name: 'mean_time',
      unit: 'ms',
      description: 'Time of an execution.',
      combine: 'avg',
      worse: 'more',
      value: { kind: 'ratio of increases', of: ['total_exec_time'], to: ['calls'], scale: 1 },
    },
    {
      name: 'slow_query_count',
      unit: 'count',
      description: 'Statements that took more than a second on average in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: {
        kind: 'objects above',
        ratio: { kind: 'ratio of increases', of: ['total_exec_time'], to: ['calls'], scale: 1 },
        above: 1000,
      },
    },
    {
      name: 'slowdown',
      unit: '',
      description:
        'Time of an execution in the last hour, in times of what it was in the day before; of statements that have a twentieth of the time of their database and ran fifty times in both.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'times before',
        ratio: { kind: 'ratio of increases', of: ['total_exec_time'], to: ['calls'], scale: 1, least: 50 },
        unit: 'ms',
        share: 5,
      },
    },
  ],
  caps: { maxRows: 10_000, maxText: 256, timeoutMs: 15_000 },
  continuity,
  sql: (capabilities) => `select
  s.userid::bigint as userid,
  s.dbid::bigint as dbid,
  ${toplevelOf(capabilities)} as toplevel,
  s.queryid::text as queryid,
  a.rolname::text as username,
${walBytes(viewColumns(capabilities, { view: VIEW, alias: 's', former }, ofView))},
  ${
    capabilities.columns.get(INFO_VIEW)?.has('stats_reset')
      ? `(select i.stats_reset from ${schemaOf(capabilities)}.pg_stat_statements_info i)`
      : 'null::timestamp with time zone'
  } as stats_reset
from ${schemaOf(capabilities)}.pg_stat_statements(false) s
join pg_catalog.pg_database d on d.oid = s.dbid and not d.datistemplate
left join pg_catalog.pg_roles a on a.oid = s.userid
where s.queryid is not null
order by
  pg_catalog.row_number() over (partition by s.dbid order by ${timeOf(capabilities)} desc, s.queryid),
  s.dbid`,
  // The whole file of texts is read for this, however few are wanted.
  texts: (capabilities, wanted) => {
    const rows = wanted.map(
      ({ dbid, userid, queryid, toplevel }) => `${dbid}/${userid}/${queryid}/${toplevel}`,
    );
    const ids = ['dbid', 'userid', 'queryid'].map((id) => `s.${id}::text || '/' || `).join('');
    return `select
  s.dbid::bigint as dbid,
  s.userid::bigint as userid,
  s.queryid::text as queryid,
  ${toplevelOf(capabilities)} as toplevel,
  s.query as query_text
from ${schemaOf(capabilities)}.pg_stat_statements(true) s
where s.query is not null
  and ${ids}(${toplevelOf(capabilities)})::text = any ('{${rows.join(',')}}'::text[])`;
  },
});
