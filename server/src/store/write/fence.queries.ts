// The leases that a statement writes under, locked until it ends. Guards: what a collector read is not written once its lease has passed
// to another one; several leases are locked in the order of ids, as the heartbeat does.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface Lease {
  readonly connection_id: number;
  readonly epoch: number;
}

/** Nothing when the lease has passed on. */
export const held = ({ connection_id, epoch }: Lease): Sql => sql`(
      select l.connection_id
      from matriarch.connection_leases l
      where l.connection_id = ${connection_id} and l.epoch = ${epoch}
      for share
    )`;

/** Of all connections of `input`, with the epochs that are in force. */
export const LEASES_OF_INPUT: Sql = sql`(
      select l.connection_id, l.epoch
      from matriarch.connection_leases l
      where l.connection_id in (select i.connection_id from input i)
      order by l.connection_id
      for share
    )`;
