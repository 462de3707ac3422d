// The lock on the datastore that the alerter which judges holds.
import { type Sql, sql } from '../../kernel/sql.ts';

/** The same in every version; beside the class of the collectors' locks. */
const LOCK_CLASS = 7_264_913;
const LOCK = 1;

/** Does not wait: a statement that waits would keep rows from being vacuumed. */
export const tryLock = (): Sql => sql`
  /* alerter.try_turn */
  select pg_try_advisory_lock(${LOCK_CLASS}::integer, ${LOCK}::integer) as is_held`;

export const keepAlive = (): Sql => sql`
  /* alerter.live */
  select true as is_alive`;
