// Calls and time of functions. The server counts only while track_functions is on, so there may be no row at all.
import { defineProbe } from './types.ts';
import { counters, labels, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_user_functions';

const columns = [
  { name: 'funcid', type: 'bigint', kind: 'key', description: 'Object id; tells overloaded names apart.' },
  ...labels([
    ['schemaname', 'Schema.'],
    ['funcname', 'Function.'],
  ]),
  ...counters('count', [['calls', 'Times the function was called.']]),
  ...millisecondCounters([
    ['total_time', 'Time in it and in what it calls.'],
    ['self_time', 'Time in itself alone.'],
  ]),
  ...times([['stats_reset', 'Last reset of its statistics (19+).']]),
] as const;

export const probe = defineProbe({
  name: 'pg_stat_user_functions',
  description: 'Calls and time of each function, while track_functions is on.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW],
  settings: ['track_functions'],
  columns,
  caps: { maxRows: 10_000, maxText: 256 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s
order by s.total_time desc, s.funcid`,
});
