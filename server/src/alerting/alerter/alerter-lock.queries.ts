// The lock that the alerter whose turn it is holds on the datastore.
import { type Sql, sql } from '../../kernel/sql.ts';

/** The same in every version; beside the class of the collectors' locks. */
const LOCK_CLASS = 7_264_913;
const LOCK = 1;

/** Does not wait: a statement that waits would keep rows from being vacuumed. */
export const tryTurn = (): Sql => sql`
  /* alerter.try_turn */
  select pg_try_advisory_lock(${LOCK_CLASS}::integer, ${LOCK}::integer) as is_ours`;

export const sayThatWeLive = (): Sql => sql`
  /* alerter.live */
  select true as is_alive`;
