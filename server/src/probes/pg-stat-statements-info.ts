// Whether pg_stat_statements is large enough: each eviction throws statements away uncounted.
import { defineProbe } from './types.ts';
import { counters, times, viewColumns } from './view-columns.ts';

const VIEW = '@pg_stat_statements.pg_stat_statements_info';

const columns = [
  ...counters('count', [['dealloc', 'Evictions since pg_stat_statements.max was reached.']]),
  ...times([['stats_reset', 'Last reset of all statements.']]),
];

export const probe = defineProbe({
  name: 'pg_stat_statements_info',
  description: 'Evictions and resets of pg_stat_statements, for the whole server.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  serverWide: {},
  requires: { extension: 'pg_stat_statements', relation: VIEW },
  columns,
  caps: { maxRows: 1, maxBytes: 1024, maxText: 64, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${capabilities.extensionSchemas.get('pg_stat_statements') ?? 'public'}.pg_stat_statements_info s`,
});
