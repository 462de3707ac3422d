// Channels, what configures them and what became of their messages, in words. Pure.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { Mark } from '../../../ui/status.tsx';

export type Channel = OperationTypes['listNotificationChannels']['result'][number];
export type ChannelType = OperationTypes['listChannelTypes']['result'][number];
export type Member = ChannelType['members'][number];
export type Summary = OperationTypes['summarizeChannels']['result'][number];
export type Delivery = OperationTypes['listChannelDeliveries']['result']['deliveries'][number];

const MEMBER_WORDS: Readonly<Record<string, string>> = {
  webhook_url: 'Webhook URL',
  endpoint_url: 'Address',
  http_method: 'HTTP method',
  headers: 'Headers',
  auth_type: 'Sign in with',
  auth_credentials: 'Credentials',
  smtp_host: 'Mail server',
  smtp_port: 'Port',
  smtp_use_tls: 'Use TLS',
  smtp_tls_mode: 'Start of TLS',
  smtp_username: 'User name',
  smtp_password: 'Password',
  from_address: 'From address',
  from_name: 'From name',
  api_key: 'Key',
  signing_secret: 'Webhook signing secret',
  name: 'Name',
  description: 'Description',
  reminder_interval_hours: 'Hours between reminders',
  template_alert_fire: 'The template for alerts that fire',
  template_alert_clear: 'The template for alerts that clear',
  template_reminder: 'The template for reminders',
  recipient_email: 'Mail address',
  email_address: 'Mail address',
  display_name: 'Name',
};

/** As its field is called; of a member that this page does not know, its name in the API. */
export function memberWords(name: string): string {
  const spaced = name.replaceAll('_', ' ');
  return MEMBER_WORDS[name] ?? `${spaced.slice(0, 1).toUpperCase()}${spaced.slice(1)}`;
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  basic: 'As user:password.',
  bearer: 'The token alone.',
  api_key: 'As Header-Name: value.',
};

/** The help of the API, without what the form says by itself; of credentials what the chosen way to sign in takes. */
export function helpOf({ name, description = '' }: Member, authType: string | undefined): string {
  if (name === 'auth_credentials') return CREDENTIALS[authType ?? ''] ?? '';
  return description.replace(/[;.]?(?<!\s)\s*write-only\.?$/i, '.').replace(/^\.$/, '');
}

const CHOICE_WORDS: Readonly<Record<string, string>> = {
  auto: 'By the port',
  starttls: 'STARTTLS',
  implicit: 'TLS from the start',
  none: 'Nothing',
  basic: 'User name and password (basic)',
  bearer: 'A token (bearer)',
  api_key: 'A header of your own',
};
export const choiceWords = (choice: string): string => CHOICE_WORDS[choice] ?? choice;

export const KIND_WORDS: Record<Delivery['kind'], string> = {
  fire: 'That it fired',
  clear: 'That it cleared',
  reminder: 'A reminder',
  acknowledge: 'That it was acknowledged',
  report: 'A report',
};

export const STATES: Record<Delivery['state'], { label: string; mark: Mark }> = {
  queued: { label: 'Waiting', mark: 'waiting' },
  sending: { label: 'Being sent', mark: 'waiting' },
  sent: { label: 'Sent', mark: 'ok' },
  dead: { label: 'Given up', mark: 'failed' },
  skipped: { label: 'Not sent', mark: 'skipped' },
};

type Outcome = Delivery['attempts'][number]['outcome'];
export function outcomeWords(outcome: Outcome): { label: string; mark: Mark } {
  if (outcome === 'delivered') return { label: 'Delivered', mark: 'ok' };
  if (outcome === 'failed') return { label: 'Failed', mark: 'failed' };
  if (outcome === 'interrupted') return { label: 'Interrupted', mark: 'stale' };
  return { label: 'Under way', mark: 'waiting' };
}

/** The state of a channel, the worst first. */
export function channelState(channel: Channel, summary: Summary | undefined): { label: string; mark: Mark } {
  if (!channel.enabled) return { label: 'Switched off', mark: 'paused' };
  if (summary && summary.retry_at !== null) return { label: 'Failing', mark: 'failed' };
  return { label: 'On', mark: 'ok' };
}

export const channelPath = (id: number): string => `/channels/${id}`;
export const deliveriesPath = (id: number, state?: Delivery['state']): string =>
  `${channelPath(id)}?tab=deliveries${state === undefined ? '' : `&state=${state}`}`;

export const MANAGE = 'manage_notification_channels';
