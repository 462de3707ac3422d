// The statements for what the other side of a channel sends to us.

import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { AlertFacts } from '../channels/alert-facts.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';
import type { SecretRow } from './notification-channels.queries.ts';

/** Of a channel of that type that is switched on. */
export const findSecret = (
  db: Db,
  { channel_id, type, name }: { channel_id: number; type: ChannelType; name: string },
): Promise<SecretRow | undefined> =>
  db.maybe<SecretRow>(sql`/* signing.secret */
    select s.name, s.sealed, s.destination
    from matriarch.notification_channel_secrets s
    join matriarch.notification_channels n on n.id = s.channel_id
    where n.id = ${channel_id}::int and n.enabled and n.channel_type = ${type} and s.name = ${name}`);

/** What the channel was given to tell of an alert, the newest first. */
export const listTold = (db: Db, channel_id: number, alert_id: number): Promise<{ facts: AlertFacts }[]> =>
  db.rows<{ facts: AlertFacts }>(sql`/* signing.told */
    select d.facts
    from matriarch.notifications d
    where d.alert_id = ${alert_id}::bigint and d.channel_id = ${channel_id}::int
    order by d.id desc
    limit 100`);
