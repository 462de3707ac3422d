// How the deliveries of each channel stand. Guards: every part is found by an index, however many were sent before.

import type { Principal } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { seenDelivery } from './deliveries.queries.ts';

export interface SummaryRow {
  channel_id: number;
  waiting: number;
  dead: number;
  last_sent_at: string | null;
  retry_at: string | null;
  last_reply: string | null;
}

/** An older one that was sent again by hand is found among so many of the newest. */
const NEWEST = 100;

export const listSummaries = (db: Db, reader: Principal): Promise<SummaryRow[]> =>
  db.rows<SummaryRow>(sql`/* outbox.summaries */
    select n.id as channel_id, w.waiting, g.dead, s.last_sent_at, n.retry_at, f.last_reply
    from matriarch.notification_channels n
    cross join lateral (
      select count(*)::int as waiting
      from matriarch.notifications d
      left join matriarch.connections c on c.id = d.connection_id
      left join matriarch.report_schedules r on r.id = d.report_schedule_id
      where d.channel_id = n.id and d.state in ('queued', 'sending') and ${seenDelivery(reader)}
    ) w
    cross join lateral (
      select count(*)::int as dead
      from matriarch.notifications d
      left join matriarch.connections c on c.id = d.connection_id
      left join matriarch.report_schedules r on r.id = d.report_schedule_id
      where d.channel_id = n.id and d.state = 'dead' and ${seenDelivery(reader)}
    ) g
    cross join lateral (
      select max(t.ended_at) as last_sent_at
      from (
        select d.ended_at
        from matriarch.notifications d
        left join matriarch.connections c on c.id = d.connection_id
        left join matriarch.report_schedules r on r.id = d.report_schedule_id
        where d.channel_id = n.id and d.state = 'sent' and ${seenDelivery(reader)}
        order by d.id desc
        limit ${NEWEST}::int
      ) t
    ) s
    left join lateral (
      select d.reply as last_reply
      from matriarch.notifications d
      left join matriarch.connections c on c.id = d.connection_id
      left join matriarch.report_schedules r on r.id = d.report_schedule_id
      where n.retry_at is not null and d.channel_id = n.id and d.state in ('queued', 'sending')
        and d.reply is not null and ${seenDelivery(reader)}
      order by d.id
      limit 1
    ) f on true
    order by n.id`);
