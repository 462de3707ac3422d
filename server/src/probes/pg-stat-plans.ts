// Runs by plan as pg_stat_plans 2 counts them, of all databases wherever it is installed. Guards: a plan whose text was cut has another shape
// than the one that ran, so it is not taken.
import { definePlanCounters } from './plan-counters.ts';

/** A text that was cut has as many bytes as it may, less a part of a character and the byte that ends it. */
const NEAR = 8;

export const probe = definePlanCounters({
  name: 'pg_stat_plans',
  keys: [{ name: 'toplevel', type: 'boolean', kind: 'key', description: 'False: run inside a function.' }],
  rows: 'pg_stat_plans(false)',
  columns: [],
  from: {},
  text: () =>
    `case when pg_catalog.octet_length(s.plan) < coalesce(pg_catalog.pg_size_bytes(pg_catalog.current_setting('pg_stat_plans.max_size', true)), 8192) - ${NEAR} then s.plan end`,
});
