// Connections that logs may come for by syslog.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { NamedConnection } from './senders.ts';

export const namedConnections = (db: Db, wanted: readonly string[]): Promise<NamedConnection[]> =>
  db.rows<NamedConnection>(sql`/* syslog.connections */
    select c.id, c.name
    from matriarch.connections c
    where c.deleted_at is null and c.is_monitored and (c.name = any (${wanted}::text[]) or c.id::text = any (${wanted}::text[]))
    order by c.id
    limit 10000`);
