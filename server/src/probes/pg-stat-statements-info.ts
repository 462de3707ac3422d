// Whether pg_stat_statements is large enough: each eviction throws statements away uncounted.
import { defineProbe } from './types.ts';
import { counters, gauges, times, viewColumns } from './view-columns.ts';

const VIEW = '@pg_stat_statements.pg_stat_statements_info';

/** Columns of the view. */
const viewed = [
  ...counters('count', [['dealloc', 'Evictions since pg_stat_statements.max was reached.']]),
  ...times([['stats_reset', 'Last reset of all statements.']]),
];
/** Without texts, so that the file that holds them is not read. */
const levels = gauges('count', [
  ['entries', 'Statements that are counted now.'],
  ['max_entries', 'Most that can be: pg_stat_statements.max.'],
]);
const columns = [...viewed, ...levels];

export const probe = defineProbe({
  name: 'pg_stat_statements_info',
  description: 'How full pg_stat_statements is, its evictions and resets, for the whole server.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  serverWide: {},
  requires: { extension: 'pg_stat_statements', relation: VIEW },
  columns,
  caps: { maxRows: 1, maxBytes: 1024, maxText: 64, timeoutMs: 5000 },
  sql: (capabilities) => {
    const schema = capabilities.extensionSchemas.get('pg_stat_statements') ?? 'public';
    return `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, viewed)},
  (select pg_catalog.count(*) from ${schema}.pg_stat_statements(false))::bigint as entries,
  pg_catalog.current_setting('pg_stat_statements.max', true)::bigint as max_entries
from ${schema}.pg_stat_statements_info s`;
  },
});
