// Subscriptions of all databases with their workers, errors and conflicts. Guards: the connection string, which may
// hold a password, is never read; what a subscription counts is in the row of one worker, so that sums count it once.
import { defineProbe } from './types.ts';
import { counters, labels, times, viewColumn, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_subscription';
const STATS = 'pg_catalog.pg_stat_subscription_stats';

const worker = [
  { name: 'subid', type: 'bigint', kind: 'key', description: 'Object id of the subscription.' },
  ...labels([['subname', 'Its name.']]),
  { name: 'leader_pid', type: 'integer', kind: 'label', description: 'Leader of a parallel worker (16+).' },
  { name: 'relid', type: 'bigint', kind: 'label', description: 'Table that a worker copies.' },
  ...labels([['received_lsn', 'Received last; null for parallel workers.']]),
  ...times([
    ['last_msg_send_time', 'When the publisher sent its last message.'],
    ['last_msg_receipt_time', 'When that arrived.'],
  ]),
  ...labels([['latest_end_lsn', 'Last position reported to the publisher.']]),
  ...times([['latest_end_time', 'When that was reported.']]),
] as const;

const stats = [
  ...counters('count', [
    ['apply_error_count', 'Errors while applying (15+).'],
    ['sync_error_count', 'Errors while copying tables (15+).'],
    ['sync_seq_error_count', 'Errors while copying sequences (19+).'],
    ['confl_insert_exists', 'Inserts of a key that exists (18+).'],
    ['confl_update_origin_differs', 'Updates of rows changed by another origin (18+).'],
    ['confl_update_exists', 'Updates to a key that exists (18+).'],
    ['confl_update_deleted', 'Updates of rows that were deleted (19+).'],
    ['confl_update_missing', 'Updates of rows that are not there (18+).'],
    ['confl_delete_origin_differs', 'Deletes of rows changed by another origin (18+).'],
    ['confl_delete_missing', 'Deletes of rows that are not there (18+).'],
    ['confl_multiple_unique_conflicts', 'Rows against several unique constraints (18+).'],
  ]),
  ...times([['stats_reset', 'Last reset of these statistics.']]),
];

/** 19 counts tables and sequences apart, and tables under a name of their own. */
const former = { sync_error_count: ['sync_table_error_count'] };

export const probe = defineProbe({
  name: 'pg_stat_subscription',
  description: 'Subscriptions with their workers, errors and conflicts.',
  level: 'S',
  intervalSeconds: 300,
  guardSeconds: 600,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW, STATS],
  births: { owners: ['subid'] },
  columns: [
    ...worker,
    {
      name: 'pid',
      type: 'integer',
      kind: 'key',
      description: 'Process of the worker; 0 while there is none.',
    },
    ...labels([
      ['worker_type', 'apply, parallel apply or table synchronization.'],
      ['datname', 'Database of the subscription.'],
    ]),
    { name: 'subenabled', type: 'boolean', kind: 'label', description: 'False: switched off.' },
    {
      name: 'is_stopped',
      type: 'boolean',
      kind: 'label',
      description:
        'No worker applies its changes, in one row of the subscription; not so on a standby, nor of one that is disabled and has no slot.',
    },
    ...stats,
  ],
  metrics: [
    {
      // The name by which rules have known it since before it named the subscription.
      name: 'worker_down',
      wireName: 'pg_node_role.subscription_worker_down',
      unit: '',
      description: '1 while the subscription has no worker at work.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: [{ column: 'is_stopped', in: [true] }] },
    },
  ],
  caps: { maxRows: 1000, maxText: 1024, timeoutMs: 5000 },
  sql: (capabilities) => {
    const source = { view: VIEW, alias: 's' };
    const hasStats = capabilities.columns.has(STATS);
    const leader = viewColumn(capabilities, source, { name: 'leader_pid', type: 'integer' }).split(' as ')[0];
    const type = capabilities.columns.get(VIEW)?.has('worker_type')
      ? 's.worker_type'
      : `case
    when s.pid is null then null
    when s.relid is not null then 'table synchronization'
    when ${leader} is not null then 'parallel apply'
    else 'apply'
  end`;
    return `select
${viewColumns(capabilities, source, worker)},
  coalesce(s.pid, 0) as pid,
  ${type} as worker_type,
  d.datname::text as datname,
  p.subenabled,
  s.place = 1
    and not s.is_applied
    and not pg_catalog.pg_is_in_recovery()
    and (p.subenabled or p.subslotname is not null)
    as is_stopped,
${viewColumns(capabilities, { view: STATS, alias: 't', former }, stats)}
from (
  select
    s.*,
    pg_catalog.row_number() over (
      partition by s.subid order by s.relid is not null, ${leader} is not null, s.pid
    ) as place,
    pg_catalog.bool_or(s.pid is not null and s.relid is null) over (partition by s.subid) as is_applied
  from ${VIEW} s
) s
left join pg_catalog.pg_subscription p on p.oid = s.subid
left join pg_catalog.pg_database d on d.oid = p.subdbid
${hasStats ? `left join ${STATS} t on t.subid = s.subid and s.place = 1` : ''}`;
  },
});
