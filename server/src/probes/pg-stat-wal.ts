// WAL made and archived. Since 18 the writes and syncs stand in pg_stat_io; what receivers write there is left out,
// as it always was here.
import type { Condition } from './metric-types.ts';
import { IS_ARCHIVING } from './pg-wal-directory.ts';
import { type Capabilities, type Column, defineProbe } from './types.ts';
import { counters, flags, labels, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_wal';

const made = [
  ...counters('count', [
    ['wal_records', 'Records of WAL written.'],
    ['wal_fpi', 'Whole images of pages written to the WAL.'],
  ]),
  ...counters('bytes', [
    ['wal_bytes', 'Bytes of WAL written.'],
    ['wal_fpi_bytes', 'Bytes of these images (19+).'],
  ]),
  ...counters('count', [['wal_buffers_full', 'Times it was written because the buffers were full.']]),
];
const written = [
  ...counters('count', [
    ['wal_write', 'Times that WAL buffers were written out.'],
    ['wal_sync', 'Times that files of WAL were synced to disk.'],
  ]),
  ...millisecondCounters([
    ['wal_write_time', 'Time of writes; 0 while track_wal_io_timing is off.'],
    ['wal_sync_time', 'Time of syncs; 0 while track_wal_io_timing is off.'],
  ]),
];
const reset = times([['stats_reset', 'Last reset of the figures of WAL.']]);

const archiver = [
  ...counters('count', [['archived_count', 'Files of WAL archived.']]),
  ...labels([['last_archived_wal', 'File archived last.']]),
  ...times([['last_archived_time', 'When that was.']]),
  ...counters('count', [['failed_count', 'Failed attempts to archive a file.']]),
  ...labels([['last_failed_wal', 'File that failed last.']]),
  ...times([['last_failed_time', 'When that was.']]),
];

const IN_IO: Readonly<Record<string, string>> = {
  wal_write: 'writes',
  wal_sync: 'fsyncs',
  wal_write_time: 'write_time',
  wal_sync_time: 'fsync_time',
};

const fromIo = ({ name, type }: Column) => `  i.${name}::${type} as ${name}`;
const io = `cross join (
  select
${written.map(({ name }) => `    pg_catalog.sum(o.${IN_IO[name]}) as ${name}`).join(',\n')}
  from pg_catalog.pg_stat_io o
  where o.object = 'wal'
    and o.context = 'normal'
    and o.backend_type <> 'walreceiver'
) i`;

const isMoved = (capabilities: Capabilities) =>
  capabilities.columns.has(VIEW) && !capabilities.columns.get(VIEW)?.has('wal_write');

/** The rule and the check judge by it. */
export const ARCHIVE_FAILING: readonly Condition[] = [{ column: 'is_archive_failing', notIn: [false] }];

export const probe = defineProbe({
  name: 'pg_stat_wal',
  description: 'WAL made, written and archived.',
  level: 'S',
  intervalSeconds: 600,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  settings: ['track_wal_io_timing'],
  columns: [
    ...made,
    ...written,
    ...reset,
    ...archiver,
    ...times([['archiver_stats_reset', 'Last reset of the figures of the archiver.']]),
    ...flags([['is_archive_failing', 'This server archives WAL, and its newest attempt failed.']]),
  ],
  metrics: [
    {
      name: 'failed_count_delta',
      wireName: 'pg_stat_archiver.failed_count_delta',
      unit: 'count',
      description:
        'Failed attempts to archive a file; as the newest value, in the last hour, and 0 once archiving works again.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'increase', column: 'failed_count', where: ARCHIVE_FAILING },
    },
  ],
  caps: { maxRows: 1, maxBytes: 65_536, timeoutMs: 5000 },
  sql: (capabilities) => {
    const source = { view: VIEW, alias: 's' };
    return `select
${viewColumns(capabilities, source, [...made, ...reset])},
${isMoved(capabilities) ? written.map(fromIo).join(',\n') : viewColumns(capabilities, source, written)},
${archiver.map(({ name, type }) => `  a.${name}::${type} as ${name}`).join(',\n')},
  a.stats_reset as archiver_stats_reset,
  a.last_failed_time is not null
    and (a.last_archived_time is null or a.last_failed_time > a.last_archived_time)
    and ${IS_ARCHIVING}
    as is_archive_failing
from ${VIEW} s
cross join pg_catalog.pg_stat_archiver a
${isMoved(capabilities) ? io : ''}`;
  },
});
