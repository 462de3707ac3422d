// What happened on a server, in words, for reports.
import * as s from '../../kernel/schema.ts';

const HAPPENED = [
  'role_change',
  'restart',
  'deadlocks',
  'lock_wait',
  'index_dropped',
  'slower_statement',
  'growth',
  'alert',
] as const;

export const HappenedEvent = s.component('HappenedEvent', {
  kind: s.oneOf(HAPPENED),
  connection_id: s.id(),
  server_name: s.text(),
  database_name: s.nullable(
    s.text({ description: 'Null: the message names it, or it is of the whole server.' }),
  ),
  count: s.nullable(
    s.integer({
      description:
        'Deadlocks, indexes, calls, bytes of growth or alerts; null where there is no such figure.',
    }),
  ),
  message: s.text(),
});

export const HappenedGap = s.component('HappenedGap', { kind: s.oneOf(HAPPENED), reason: s.text() });
