// What happened on a server, in words, for reports.
import { id, integer, nullable, object, oneOf, text } from '../../kernel/schema.ts';

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

export const HappenedEvent = object(
  {
    kind: oneOf(HAPPENED),
    connection_id: id(),
    server_name: text(),
    database_name: nullable(
      text({ description: 'Null: the message names it, or it is of the whole server.' }),
    ),
    count: nullable(
      integer({
        description:
          'Deadlocks, indexes, calls, bytes of growth or alerts; null where there is no such figure.',
      }),
    ),
    message: text(),
  },
  { title: 'HappenedEvent' },
);

export const HappenedGap = object({ kind: oneOf(HAPPENED), reason: text() }, { title: 'HappenedGap' });
