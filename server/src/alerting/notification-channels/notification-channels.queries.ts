// The statements of channels, their secrets and their recipients.

import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';

export interface ChannelRow {
  id: number;
  channel_type: ChannelType;
  name: string;
  description: string;
  enabled: boolean;
  is_estate_default: boolean;
  /** By the members of the type; no secrets. */
  config: unknown;
  template_alert_fire: string | null;
  template_alert_clear: string | null;
  template_reminder: string | null;
  reminder_enabled: boolean;
  reminder_interval_hours: number;
}

export interface ListedChannel extends ChannelRow {
  owner_username: string | null;
  owner_token: string | null;
  secret_names: string[];
  created_at: string;
  updated_at: string;
}

export const channelColumns = sql`n.id, n.channel_type, n.name, n.description, n.enabled, n.is_estate_default, n.config,
      n.template_alert_fire, n.template_alert_clear, n.template_reminder, n.reminder_enabled,
      n.reminder_interval_hours`;

const listed = (where: Sql): Sql => sql`/* channels.list */
    select
      ${channelColumns},
      u.username as owner_username,
      t.name as owner_token,
      array(
        select s.name from matriarch.notification_channel_secrets s where s.channel_id = n.id order by s.name
      ) as secret_names,
      n.created_at,
      n.updated_at
    from matriarch.notification_channels n
    left join matriarch.users u on u.id = n.owner_user_id
    left join matriarch.api_tokens t on t.id = n.owner_token_id
    where ${where}
    order by lower(n.name), n.id`;

export const listChannels = (db: Db): Promise<ListedChannel[]> => db.rows<ListedChannel>(listed(sql`true`));

export const findChannel = (db: Db, id: number): Promise<ListedChannel | undefined> =>
  db.maybe<ListedChannel>(listed(sql`n.id = ${id}::int`));

/** The row, held until the end of the transaction. */
export const lockChannel = (db: Db, id: number): Promise<ChannelRow | undefined> =>
  db.maybe<ChannelRow>(sql`/* channels.lock */
    select ${channelColumns} from matriarch.notification_channels n where n.id = ${id}::int for update`);

export interface NewChannel extends Omit<ChannelRow, 'id'> {
  owner_user_id: number | null;
  owner_token_id: number | null;
}

export const insertChannel = (db: Db, row: NewChannel): Promise<{ id: number }> =>
  db.one<{ id: number }>(sql`/* channels.insert */
    insert into matriarch.notification_channels (
      channel_type, name, description, enabled, is_estate_default, owner_user_id, owner_token_id, config,
      template_alert_fire, template_alert_clear, template_reminder, reminder_enabled, reminder_interval_hours
    )
    values (
      ${row.channel_type}, ${row.name}, ${row.description}, ${row.enabled}::boolean,
      ${row.is_estate_default}::boolean, ${row.owner_user_id}::int, ${row.owner_token_id}::int,
      ${JSON.stringify(row.config)}::jsonb, ${row.template_alert_fire}, ${row.template_alert_clear},
      ${row.template_reminder}, ${row.reminder_enabled}::boolean, ${row.reminder_interval_hours}::int
    )
    returning id`);

/** A channel that was changed is tried again at once. */
export const saveChannel = (db: Db, row: ChannelRow): Promise<number> =>
  db.run(sql`/* channels.save */
    update matriarch.notification_channels
    set
      name = ${row.name}, description = ${row.description}, enabled = ${row.enabled}::boolean,
      is_estate_default = ${row.is_estate_default}::boolean, config = ${JSON.stringify(row.config)}::jsonb,
      template_alert_fire = ${row.template_alert_fire}, template_alert_clear = ${row.template_alert_clear},
      template_reminder = ${row.template_reminder}, reminder_enabled = ${row.reminder_enabled}::boolean,
      reminder_interval_hours = ${row.reminder_interval_hours}::int, retry_at = null, updated_at = now()
    where id = ${row.id}::int`);

export const dropChannel = (db: Db, id: number): Promise<number> =>
  db.run(sql`/* channels.drop */ delete from matriarch.notification_channels where id = ${id}::int`);

export interface SecretRow {
  name: string;
  sealed: Buffer;
  destination: string;
}

export const listSecrets = (db: Db, channelId: number): Promise<SecretRow[]> =>
  db.rows<SecretRow>(sql`/* channels.secrets */
    select s.name, s.sealed, s.destination
    from matriarch.notification_channel_secrets s
    where s.channel_id = ${channelId}::int
    order by s.name`);

export const putSecret = (db: Db, channelId: number, secret: SecretRow): Promise<number> =>
  db.run(sql`/* channels.put_secret */
    insert into matriarch.notification_channel_secrets (channel_id, name, sealed, destination)
    values (${channelId}::int, ${secret.name}, ${secret.sealed}, ${secret.destination})
    on conflict (channel_id, name) do update
    set sealed = excluded.sealed, destination = excluded.destination`);

export const dropSecrets = (db: Db, channelId: number, names: readonly string[]): Promise<number> =>
  db.run(sql`/* channels.drop_secrets */
    delete from matriarch.notification_channel_secrets s
    where s.channel_id = ${channelId}::int and s.name = any (${names}::text[])`);

export interface RecipientRow {
  id: number;
  channel_id: number;
  email_address: string;
  display_name: string;
  enabled: boolean;
  created_at: string;
}

export const listRecipients = (db: Db, channelIds: readonly number[]): Promise<RecipientRow[]> =>
  db.rows<RecipientRow>(sql`/* channels.recipients */
    select r.id, r.channel_id, r.email_address, r.display_name, r.enabled, r.created_at
    from matriarch.email_recipients r
    where r.channel_id = any (${channelIds}::int[])
    order by r.channel_id, lower(r.email_address), r.id`);

export const insertRecipient = (
  db: Db,
  row: Pick<RecipientRow, 'channel_id' | 'email_address' | 'display_name' | 'enabled'>,
): Promise<RecipientRow> =>
  db.one<RecipientRow>(sql`/* channels.insert_recipient */
    insert into matriarch.email_recipients (channel_id, email_address, display_name, enabled)
    values (${row.channel_id}::int, ${row.email_address}, ${row.display_name}, ${row.enabled}::boolean)
    returning id, channel_id, email_address, display_name, enabled, created_at`);

export interface RecipientChange {
  channel_id: number;
  id: number;
  email_address: string | undefined;
  display_name: string | undefined;
  enabled: boolean | undefined;
}

/** What is undefined stays. */
export const updateRecipient = (db: Db, change: RecipientChange): Promise<RecipientRow | undefined> =>
  db.maybe<RecipientRow>(sql`/* channels.update_recipient */
    update matriarch.email_recipients
    set
      email_address = coalesce(${change.email_address ?? null}::text, email_address),
      display_name = coalesce(${change.display_name ?? null}::text, display_name),
      enabled = coalesce(${change.enabled ?? null}::boolean, enabled)
    where id = ${change.id}::int and channel_id = ${change.channel_id}::int
    returning id, channel_id, email_address, display_name, enabled, created_at`);

export const dropRecipient = (db: Db, channelId: number, id: number): Promise<number> =>
  db.run(sql`/* channels.drop_recipient */
    delete from matriarch.email_recipients where id = ${id}::int and channel_id = ${channelId}::int`);

/** Names of channels with a stored secret, in order. */
export async function namesWithSecret(db: Db): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`/* channels.names_with_secret */
    select n.name
    from matriarch.notification_channels n
    where exists (select from matriarch.notification_channel_secrets s where s.channel_id = n.id)
    order by n.name`);
  return rows.map(({ name }) => name);
}
