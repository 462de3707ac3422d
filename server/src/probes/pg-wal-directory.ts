// How much WAL lies on disk and how much of it waits to be archived. Looking at the files takes pg_monitor.
import { defineProbe } from './types.ts';
import { gauges, times } from './view-columns.ts';

/** A server that was demoted keeps its setting and its list of what is to be archived, and archives nothing. */
export const IS_ARCHIVING = `case pg_catalog.current_setting('archive_mode')
    when 'always' then true
    when 'on' then not pg_catalog.pg_is_in_recovery()
    else false
  end`;

export const probe = defineProbe({
  name: 'pg_wal_directory',
  description: 'Files of WAL on disk, and those that wait to be archived.',
  level: 'S',
  intervalSeconds: 300,
  guardSeconds: 600,
  retentionDays: 30,
  keeps: 'samples',
  columns: [
    ...gauges('count', [['wal_files', 'Files of WAL in pg_wal.']]),
    ...gauges('bytes', [['wal_size_bytes', 'Size of the files of WAL in pg_wal.']]),
    ...gauges('count', [['archive_ready_files', 'Files that wait to be archived.']]),
    ...times([['archive_oldest_ready_time', 'Since when the oldest of these waits; null when none does.']]),
    {
      name: 'is_archiving',
      type: 'boolean',
      kind: 'label',
      description:
        'This server archives WAL; on a standby only with archive_mode = always. If not, no file there waits to be archived.',
    },
  ],
  metrics: [
    {
      name: 'archive_wait_seconds',
      unit: 'seconds',
      description: 'How long the oldest file of WAL has waited to be archived.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'age',
        since: 'archive_oldest_ready_time',
        where: [{ column: 'archive_oldest_ready_time', notIn: [null] }],
      },
    },
  ],
  requires: { functions: ['pg_catalog.pg_ls_waldir()', 'pg_catalog.pg_ls_archive_statusdir()'] },
  caps: { maxRows: 1, maxBytes: 65_536 },
  sql: () => `select
  w.wal_files,
  w.wal_size_bytes,
  case when m.is_archiving then a.archive_ready_files end as archive_ready_files,
  case when m.is_archiving then a.archive_oldest_ready_time end as archive_oldest_ready_time,
  m.is_archiving
from (
  select pg_catalog.count(*) as wal_files, coalesce(pg_catalog.sum(f.size), 0)::bigint as wal_size_bytes
  from pg_catalog.pg_ls_waldir() f
) w
cross join (
  select
    pg_catalog.count(*) as archive_ready_files,
    pg_catalog.min(f.modification) as archive_oldest_ready_time
  from pg_catalog.pg_ls_archive_statusdir() f
  where f.name like '%.ready'
) a
cross join (select ${IS_ARCHIVING} as is_archiving) m`,
});
