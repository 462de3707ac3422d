// What happened on a server, in words, for reports.
import { component, id, integer, nullable, oneOf, text } from '../../kernel/schema.ts';

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

export const HappenedEvent = component('HappenedEvent', {
  kind: oneOf(HAPPENED),
  connection_id: id(),
  server_name: text(),
  database_name: nullable(text({ description: 'Null: the message names it, or it is of the whole server.' })),
  count: nullable(
    integer({
      description:
        'Deadlocks, indexes, calls, bytes of growth or alerts; null where there is no such figure.',
    }),
  ),
  message: text(),
});

export const HappenedGap = component('HappenedGap', { kind: oneOf(HAPPENED), reason: text() });
