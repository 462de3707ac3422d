// Conflicts that spock resolved by itself, of the last 15 minutes.
import { defineProbe } from './types.ts';
import { labels, times, viewColumns } from './view-columns.ts';

const TABLE = 'spock.resolutions';

const columns = [
  { name: 'id', type: 'bigint', kind: 'key', description: 'Number of the entry.' },
  { name: 'node_name', type: 'text', kind: 'key', description: 'Node that resolved it.' },
  ...times([['log_time', 'When it was resolved.']]),
  ...labels([
    ['relname', 'Table.'],
    ['idxname', 'Index that showed the conflict.'],
    ['conflict_type', 'What clashed.'],
    ['conflict_resolution', 'Which side won.'],
  ]),
  { name: 'local_origin', type: 'bigint', kind: 'label', description: 'Node of the row found here.' },
  ...labels([
    ['local_tuple', 'Row found here.'],
    ['local_xid', 'Its transaction.'],
  ]),
  ...times([['local_timestamp', 'When it was committed.']]),
  { name: 'remote_origin', type: 'bigint', kind: 'label', description: 'Node that the change came from.' },
  ...labels([
    ['remote_tuple', 'Row of that node.'],
    ['remote_xid', 'Its transaction.'],
  ]),
  ...times([['remote_timestamp', 'When it was committed there.']]),
  ...labels([['remote_lsn', 'Position of the change on that node.']]),
] as const;

export const probe = defineProbe({
  name: 'spock_resolutions',
  description: 'Conflicts that spock resolved in the last 15 minutes.',
  level: 'D',
  intervalSeconds: 60,
  retentionDays: 7,
  keeps: 'samples',
  views: [TABLE],
  requires: { relation: TABLE },
  grants: ['usage on schema spock', 'select on spock.resolutions'],
  columns,
  caps: { maxRows: 1000, maxBytes: 16 * 1024 * 1024, maxText: 2048, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: TABLE, alias: 's' }, columns)}
from ${TABLE} s
where s.log_time > pg_catalog.clock_timestamp() - interval '15 minutes'
order by s.log_time desc`,
});
