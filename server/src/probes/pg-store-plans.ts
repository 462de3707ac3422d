// Runs by plan as pg_store_plans counts them, of all databases wherever it is installed. Guards: a plan that was thrown out and came back is
// told by when it was called first.
import { definePlanCounters } from './plan-counters.ts';
import { counters, times } from './view-columns.ts';

export const probe = definePlanCounters({
  name: 'pg_store_plans',
  rows: 'pg_store_plans',
  columns: [
    {
      name: 'max_exec_time',
      type: 'double precision',
      kind: 'gauge',
      unit: 'ms',
      combine: 'max',
      description: 'Longest run since stats_since.',
    },
    ...counters('rows', [['rows', 'Rows returned or touched.']]),
    ...counters('blocks', [
      ['blks_hit', 'Blocks found, shared and of temporary tables.'],
      ['blks_read', 'Blocks read, shared and of temporary tables.'],
      ['temp_blks', 'Blocks of temporary files, read and written.'],
    ]),
    ...times([
      ['first_call', 'When it was called first.'],
      ['last_call', 'When it was called last.'],
      ['stats_since', 'The same as first_call, by the clock of the server.'],
    ]),
  ],
  // Before 1.6 it had an own number for statements.
  from: {
    queryid: ['s.queryid_stat_statements', 's.queryid'],
    total_exec_time: ['s.total_time'],
    max_exec_time: ['s.max_time'],
    blks_hit: ['s.shared_blks_hit + s.local_blks_hit'],
    blks_read: ['s.shared_blks_read + s.local_blks_read'],
    temp_blks: ['s.temp_blks_read + s.temp_blks_written'],
    stats_since: ['s.first_call'],
  },
  text: (schema) =>
    `case pg_catalog.current_setting('pg_store_plans.plan_format', true) when 'raw' then ${schema}.pg_store_plans_jsonplan(s.plan) else s.plan end`,
});
