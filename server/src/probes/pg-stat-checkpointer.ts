// Checkpoints, restartpoints and what the background writer does, from two views since 17 and from one before. Guards: a standby makes
// restartpoints, which the server counts as checkpoints up to 16, also those that it could not make: none of them is a checkpoint here.
import { defineProbe } from './types.ts';
import { counters, millisecondCounters, times, viewColumn, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_checkpointer';
const WRITER = 'pg_catalog.pg_stat_bgwriter';

const checkpointer = [
  ...counters('count', [
    ['num_timed', 'Checkpoints due by time; null on a standby up to 16.'],
    ['num_requested', 'Checkpoints asked for, mostly by too much WAL; null on a standby up to 16.'],
    ['num_done', 'Checkpoints really made (18+).'],
    ['restartpoints_timed', 'Restartpoints due by time (17+, on a standby before too).'],
    ['restartpoints_req', 'Restartpoints asked for (17+, on a standby before too).'],
    ['restartpoints_done', 'Restartpoints really made (17+).'],
  ]),
  ...millisecondCounters([
    ['write_time', 'Time of writing files.'],
    ['sync_time', 'Time of syncing files.'],
  ]),
  ...counters('blocks', [
    ['buffers_written', 'Buffers written by checkpoints.'],
    ['slru_written', 'Pages of the small caches written by checkpoints (18+).'],
  ]),
  ...times([['stats_reset', 'Last reset of these statistics.']]),
];

const FORMER = {
  num_timed: ['checkpoints_timed'],
  num_requested: ['checkpoints_req'],
  restartpoints_timed: ['checkpoints_timed'],
  restartpoints_req: ['checkpoints_req'],
  write_time: ['checkpoint_write_time'],
  sync_time: ['checkpoint_sync_time'],
  buffers_written: ['buffers_checkpoint'],
};

const inRecovery = (is: '' | 'not ', name: string) =>
  `case when ${is}pg_catalog.pg_is_in_recovery() then w.${name} end`;
const counted = (is: '' | 'not ') => ({
  checkpoints_timed: inRecovery(is, 'checkpoints_timed'),
  checkpoints_req: inRecovery(is, 'checkpoints_req'),
});
const together = (name: string) => ({
  ...{ view: WRITER, alias: 'w', former: FORMER },
  expressions: counted(name.startsWith('restartpoints') ? '' : 'not '),
});

const writer = [
  ...counters('blocks', [['buffers_clean', 'Buffers written by the background writer.']]),
  ...counters('count', [['maxwritten_clean', 'Times it stopped because it had written too many.']]),
  ...counters('blocks', [['buffers_alloc', 'Buffers allocated.']]),
];

export const probe = defineProbe({
  name: 'pg_stat_checkpointer',
  description: 'Checkpointer and background writer.',
  level: 'S',
  intervalSeconds: 600,
  guardSeconds: 1200,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW, WRITER],
  columns: [
    ...checkpointer,
    ...writer,
    ...times([['bgwriter_stats_reset', 'Last reset of the figures of the background writer.']]),
  ],
  metrics: [
    {
      name: 'checkpoints_req_delta',
      unit: 'count',
      description: 'Checkpoints asked for; as the newest value, in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'increase', column: 'num_requested' },
    },
    {
      name: 'checkpoints_req_percent',
      unit: 'percent',
      description: 'Checkpoints asked for, of all checkpoints.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of increases',
        of: ['num_requested'],
        to: ['num_timed', 'num_requested'],
        scale: 100,
      },
    },
  ],
  caps: { maxRows: 1, maxBytes: 65_536, timeoutMs: 5000 },
  sql: (capabilities) => {
    const isSplit = capabilities.columns.has(VIEW);
    const ofCheckpointer = checkpointer.map((column) =>
      viewColumn(capabilities, isSplit ? { view: VIEW, alias: 'c' } : together(column.name), column),
    );
    return `select
  ${ofCheckpointer.join(',\n  ')},
${viewColumns(capabilities, { view: WRITER, alias: 'w' }, writer)},
  w.stats_reset as bgwriter_stats_reset
from ${WRITER} w${isSplit ? `\ncross join ${VIEW} c` : ''}`;
  },
});
