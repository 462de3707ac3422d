// What of the last hour of a log was stored since it was looked at last. Guards: how much is read at once is bounded; merged blocks hold what
// was there before, and are none that are new.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { BlockHead } from './line-blocks.queries.ts';
import {
  conditions,
  EVENT_COLUMNS,
  type EventRow,
  type EventsFilter,
  hasTerms,
  ofServers,
  type Servers,
  TEXTS,
} from './server-logs.queries.ts';

/** Ids of the event and of the block that were stored last. */
export interface Stored {
  readonly event_id: number;
  readonly block_id: number;
}

const FRESH: Sql = sql`interval '1 hour'`;
const events = (servers: Servers): Sql => sql`
  from matriarch.log_events e
  where ${ofServers(sql`e.connection_id`, servers)} and e.occurred_at > now() - ${FRESH}`;
const blocks = (servers: Servers): Sql => sql`
  from matriarch.log_blocks b
  where ${ofServers(sql`b.connection_id`, servers)} and b.last_at > now() - ${FRESH} and not b.is_merged`;

export const lastStored = (db: Db, connection_id: number) =>
  db.one<{ event_id: number | null; block_id: number | null }>(sql`/* server_logs.last_stored */
    select
      (select max(e.id) ${events(connection_id)}) as event_id,
      (select max(b.id) ${blocks(connection_id)}) as block_id`);

/** Of all servers. */
export const lastStoredOfAll = (db: Db) =>
  db.one<{ event_id: number | null; block_id: number | null }>(sql`/* server_logs.last_stored_of_all */
    select
      (select max(e.id) from matriarch.log_events e) as event_id,
      (select max(b.id) from matriarch.log_blocks b) as block_id`);

interface Between {
  readonly after: number;
  readonly until: number;
  readonly most: number;
}

/** Of the newest of them, those that fit. */
export const storedEvents = (
  db: Db,
  servers: Servers,
  { filter, after, until, most }: Between & { filter: EventsFilter },
): Promise<EventRow[]> =>
  db.rows<EventRow>(sql`/* server_logs.stored_events */
    select ${EVENT_COLUMNS}
    from (
      select e.* ${events(servers)} and e.id > ${after}::bigint and e.id <= ${until}::bigint
      order by e.id desc
      limit ${most}
    ) e, ${TEXTS}
    where ${conditions(servers, filter)} and ${hasTerms(filter.terms)}`);

/** The newest of those that may have events of these classes. */
export const storedBlocks = (
  db: Db,
  servers: Servers,
  { classes, after, until, most }: Between & Pick<EventsFilter, 'classes'>,
): Promise<Omit<BlockHead, 'last'>[]> =>
  db.rows<Omit<BlockHead, 'last'>>(sql`/* server_logs.stored_blocks */
    select b.connection_id, b.id, b.unpacked_bytes, b.version ${blocks(servers)}
      and b.id > ${after}::bigint and b.id <= ${until}::bigint
      and (${classes ?? null}::text[] is null or b.classes && ${classes ?? null}::text[])
    order by b.id desc
    limit ${most}`);
