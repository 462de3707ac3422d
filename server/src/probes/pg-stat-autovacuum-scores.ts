// What autovacuum would do next in each database, and why, since 19: its own judgement instead of thresholds that are reckoned here.
import { defineProbe } from './types.ts';
import { labels, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_autovacuum_scores';

const score = (name: string, description: string) =>
  ({ name, type: 'double precision', kind: 'gauge', unit: 'count', combine: 'max', description }) as const;
const flag = (name: string, description: string) =>
  ({ name, type: 'boolean', kind: 'label', description }) as const;

const columns = [
  { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id; stays when it is renamed.' },
  ...labels([
    ['schemaname', 'Schema.'],
    ['relname', 'Table.'],
  ]),
  score('score', 'The largest of the scores below, by which autovacuum sorts tables.'),
  score('xid_score', 'Age of its transaction ids, against its limit and weight.'),
  score('mxid_score', 'Age of its multixact ids, against its limit and weight.'),
  score('vacuum_score', 'Dead rows, against their threshold and weight.'),
  score('vacuum_insert_score', 'Inserted rows, against their threshold and weight.'),
  score('analyze_score', 'Changed rows, against their threshold and weight.'),
  flag('do_vacuum', 'Autovacuum would vacuum it.'),
  flag('do_analyze', 'Autovacuum would analyze it.'),
  flag('for_wraparound', 'It would do so against wraparound, also where autovacuum is off.'),
] as const;

export const probe = defineProbe({
  name: 'pg_stat_autovacuum_scores',
  description: 'What autovacuum would do next, the most urgent tables first (19+).',
  level: 'D',
  intervalSeconds: 900,
  retentionDays: 7,
  keeps: 'snapshot',
  views: [VIEW],
  requires: { version_num: 190_000, relation: VIEW },
  columns,
  caps: { maxRows: 500, maxText: 256 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s
order by s.for_wraparound desc nulls last, s.score desc nulls last, s.relid
limit 500`,
});
