// A channel as it is shown. Guards: of secrets only whether they are set, and of where it leads nothing to whoever may
// not manage channels.

import type { Output } from '../../kernel/contract.ts';
import { DEFAULTS } from '../channels/members.schemas.ts';
import { headerNames, readConfig } from './channel-config.ts';
import type { getNotificationChannel } from './notification-channels.contract.ts';
import type { ListedChannel, RecipientRow } from './notification-channels.queries.ts';

export type ChannelView = Output<typeof getNotificationChannel>;
export type RecipientView = NonNullable<ChannelView['recipients']>[number];

export function recipientView({ display_name, ...rest }: RecipientRow): RecipientView {
  return { ...rest, ...(display_name !== '' && { display_name }) };
}

/** For those who may manage channels. */
function details(row: ListedChannel, recipients: readonly RecipientRow[]): Partial<ChannelView> {
  const { endpoint_url, smtp_host, from_address, from_name } = readConfig(Object(row.config));
  const { template_alert_fire: fire, template_alert_clear: clear, template_reminder: reminder } = row;
  const names = headerNames(row.secret_names);
  return {
    ...(endpoint_url !== undefined && { endpoint_url }),
    ...(names.length > 0 && { header_names: names }),
    ...(smtp_host !== undefined && { smtp_host }),
    ...(from_address !== undefined && { from_address }),
    ...(from_name !== undefined && { from_name }),
    ...(fire !== null && { template_alert_fire: fire }),
    ...(clear !== null && { template_alert_clear: clear }),
    ...(reminder !== null && { template_reminder: reminder }),
    ...(row.channel_type === 'email' && {
      recipients: recipients.filter(({ channel_id }) => channel_id === row.id).map(recipientView),
    }),
  };
}

export function viewOf(
  row: ListedChannel,
  recipients: readonly RecipientRow[],
  mayManage: boolean,
): ChannelView {
  const { http_method, smtp_port, smtp_use_tls, smtp_tls_mode, auth_type } = readConfig(Object(row.config));
  const has = (name: string) => row.secret_names.includes(name);
  return {
    id: row.id,
    ...(row.owner_username !== null && { owner_username: row.owner_username }),
    ...(row.owner_token !== null && { owner_token: row.owner_token }),
    enabled: row.enabled,
    channel_type: row.channel_type,
    name: row.name,
    ...(row.description !== '' && { description: row.description }),
    webhook_url_set: has('webhook_url'),
    http_method: http_method ?? DEFAULTS.http_method,
    ...(auth_type !== undefined && { auth_type }),
    auth_credentials_set: has('auth_credentials'),
    api_key_set: has('api_key'),
    signing_secret_set: has('signing_secret'),
    smtp_port: smtp_port ?? DEFAULTS.smtp_port,
    smtp_username_set: has('smtp_username'),
    smtp_password_set: has('smtp_password'),
    smtp_use_tls: smtp_use_tls ?? DEFAULTS.smtp_use_tls,
    ...(row.channel_type === 'email' && { smtp_tls_mode: smtp_tls_mode ?? DEFAULTS.smtp_tls_mode }),
    reminder_enabled: row.reminder_enabled,
    reminder_interval_hours: row.reminder_interval_hours,
    is_estate_default: row.is_estate_default,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(mayManage && details(row, recipients)),
  };
}
