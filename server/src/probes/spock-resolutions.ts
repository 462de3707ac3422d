// Conflicts that spock resolved by itself, of the last 15 minutes.
import { defineSpockLog } from './spock-log.ts';
import { labels, times } from './view-columns.ts';

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

export const probe = defineSpockLog({
  name: 'spock_resolutions',
  description: 'Conflicts that spock resolved in the last 15 minutes.',
  table: 'resolutions',
  columns,
  at: 'log_time',
});
