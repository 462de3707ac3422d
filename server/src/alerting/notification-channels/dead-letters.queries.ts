// The statements of notifications that were given up.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { DeliveredKind } from './delivery.queries.ts';

export interface DeadRow {
  id: number;
  /** Null for a report, which has its schedule instead. */
  alert_id: number | null;
  connection_id: number | null;
  report_schedule_id: number | null;
  channel_id: number;
  channel_name: string;
  kind: DeliveredKind;
  reply: string | null;
}

export const findDead = (db: Db, ids: readonly number[]): Promise<DeadRow[]> =>
  db.rows<DeadRow>(sql`/* delivery.dead */
    select
      q.id, q.alert_id, q.connection_id, q.report_schedule_id, q.channel_id, n.name as channel_name, q.kind, q.reply
    from matriarch.notifications q
    join matriarch.notification_channels n on n.id = q.channel_id
    where q.id = any (${ids}::bigint[])
    order by q.id`);

export interface FailingRow {
  channel_id: number;
  channel_name: string;
  /** Notifications that were given up. */
  count: number;
  since: string;
  /** Of the newest of them that told of one; null: reports alone were given up. */
  connection_id: number | null;
  /** The datastore's own, where that is watched. */
  own_connection_id: number | null;
}

/**
 * Channels with notifications that were given up and not sent again: within the last day, or with nothing delivered after
 * them.
 */
export const listFailing = (db: Db, now: string): Promise<FailingRow[]> =>
  db.rows<FailingRow>(sql`/* dead_letters.failing */
    select
      n.id as channel_id, n.name as channel_name, count(*)::int as count, min(d.ended_at) as since,
      (array_agg(d.connection_id order by d.id desc) filter (where d.connection_id is not null))[1] as connection_id,
      (
        select c.id
        from matriarch.connections c
        where c.is_embedded and c.is_monitored and c.deleted_at is null
      ) as own_connection_id
    from matriarch.notification_channels n
    join matriarch.notifications d on d.channel_id = n.id and d.state = 'dead'
    where n.enabled
      and (
        d.ended_at > ${now}::timestamptz - interval '1 day'
        or not exists (
          select
          from matriarch.notifications s
          where s.channel_id = d.channel_id and s.state = 'sent' and s.ended_at > d.ended_at
        )
      )
    group by n.id
    order by n.id
    limit 100`);
