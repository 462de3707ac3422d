// Changes of other nodes that spock could not apply, of the last 15 minutes.
import { defineSpockLog } from './spock-log.ts';
import { labels, times } from './view-columns.ts';

const columns = [
  { name: 'remote_origin', type: 'bigint', kind: 'key', description: 'Node that the change came from.' },
  {
    name: 'remote_commit_ts',
    type: 'timestamp with time zone',
    kind: 'key',
    description: 'When that node committed it.',
  },
  { name: 'command_counter', type: 'bigint', kind: 'key', description: 'Place within that transaction.' },
  {
    name: 'retry_errored_at',
    type: 'timestamp with time zone',
    kind: 'key',
    description: 'When applying it failed.',
  },
  { name: 'remote_xid', type: 'bigint', kind: 'label', description: 'Transaction on that node.' },
  { name: 'local_origin', type: 'bigint', kind: 'label', description: 'Node of the row found here.' },
  ...times([['local_commit_ts', 'When the row found here was committed.']]),
  ...labels([
    ['table_schema', 'Schema.'],
    ['table_name', 'Table.'],
    ['operation', 'What was to be applied.'],
    ['local_tup', 'Row found here.'],
    ['remote_old_tup', 'Row before the change.'],
    ['remote_new_tup', 'Row after the change.'],
  ]),
  { name: 'ddl_statement', type: 'text', kind: 'label', scrub: true, description: 'Statement, for DDL.' },
  ...labels([
    ['ddl_user', 'Role that ran it.'],
    ['error_message', 'Why it failed.'],
  ]),
] as const;

export const probe = defineSpockLog({
  name: 'spock_exception_log',
  description: 'Changes that spock could not apply in the last 15 minutes.',
  table: 'exception_log',
  columns,
  at: 'retry_errored_at',
});
