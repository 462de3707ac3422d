// What happened on a server, in words, for reports.
import { id, integer, nullable, object, oneOf, text } from '../../kernel/schema.ts';

const HAPPENED = ['deadlocks', 'lock_wait', 'index_dropped', 'slower_statement', 'alert'] as const;

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
        description: 'Deadlocks, indexes, calls or alerts; null where only the longest one is known.',
      }),
    ),
    message: text(),
  },
  { title: 'HappenedEvent' },
);

export const HappenedGap = object({ kind: oneOf(HAPPENED), reason: text() }, { title: 'HappenedGap' });
