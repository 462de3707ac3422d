// The shapes of channels, their recipients and their templates. Secrets go in and are never in a reply.

import {
  boolean,
  component,
  displayName,
  integer,
  list,
  longId,
  nullable,
  object,
  oneOf,
  optional,
  ours,
  record,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { CHANNEL_TYPES, EXTRA_CHANNEL_TYPES } from '../channels/channel-names.schemas.ts';
import { AUTH_TYPES, DEFAULTS, HTTP_METHODS, PLAIN, SECRET, TLS_MODES } from '../channels/members.schemas.ts';

const channelType = oneOf(CHANNEL_TYPES, { extra: EXTRA_CHANNEL_TYPES });
const description = text({ minLength: 0, maxLength: 4000 });
const template = text({ minLength: 0, maxLength: 65_536 });
const reminderHours = { minimum: 1, maximum: 720 };
const secretMembers = {
  webhook_url: optional(SECRET.webhook_url),
  auth_credentials: optional(SECRET.auth_credentials),
  smtp_username: optional(SECRET.smtp_username),
  smtp_password: optional(SECRET.smtp_password),
  api_key: optional(ours(SECRET.api_key)),
  signing_secret: optional(ours(SECRET.signing_secret)),
  headers: optional(record(text({ maxLength: 4096 }), { description: 'Header values are write-only.' })),
};
const templates = {
  template_alert_fire: optional(template),
  template_alert_clear: optional(template),
  template_reminder: optional(template),
};
const plainMembers = {
  endpoint_url: optional(PLAIN.endpoint_url),
  auth_type: optional(PLAIN.auth_type),
  smtp_host: optional(PLAIN.smtp_host),
  from_address: optional(PLAIN.from_address),
  from_name: optional(PLAIN.from_name),
};

export const EmailRecipient = component('EmailRecipient', {
  id: longId(),
  channel_id: longId(),
  email_address: text(),
  display_name: optional(text()),
  enabled: boolean(),
  created_at: timestamp(),
});

const emailAddress = text({ minLength: 1, maxLength: 254 });
const recipientName = displayName({ minLength: 0 });

export const EmailRecipientCreate = component('EmailRecipientCreate', {
  email_address: emailAddress,
  display_name: optional(recipientName),
  enabled: optional(boolean({ default: true })),
});

export const EmailRecipientUpdate = component('EmailRecipientUpdate', {
  email_address: optional(emailAddress),
  display_name: optional(recipientName),
  enabled: optional(boolean()),
});

export const NotificationChannel = component('NotificationChannel', {
  id: longId(),
  owner_username: optional(text()),
  owner_token: optional(text()),
  enabled: boolean(),
  channel_type: channelType,
  name: text(),
  description: optional(text()),
  webhook_url_set: boolean(),
  endpoint_url: optional(text()),
  http_method: oneOf(HTTP_METHODS),
  header_names: optional(list(text())),
  auth_type: optional(oneOf(AUTH_TYPES)),
  auth_credentials_set: boolean(),
  api_key_set: ours(boolean()),
  signing_secret_set: ours(boolean()),
  smtp_host: optional(text()),
  smtp_port: integer(),
  smtp_username_set: boolean(),
  smtp_password_set: boolean(),
  smtp_use_tls: boolean(),
  smtp_tls_mode: optional(ours(PLAIN.smtp_tls_mode)),
  from_address: optional(text()),
  from_name: optional(text()),
  template_alert_fire: optional(text()),
  template_alert_clear: optional(text()),
  template_reminder: optional(text()),
  reminder_enabled: boolean(),
  reminder_interval_hours: integer(),
  is_estate_default: boolean(),
  recipients: optional(list(EmailRecipient)),
  created_at: timestamp(),
  updated_at: timestamp(),
});

export const NotificationChannelCreate = component('NotificationChannelCreate', {
  channel_type: channelType,
  name: displayName(),
  description: optional(description),
  enabled: optional(boolean({ default: true })),
  is_estate_default: optional(boolean({ default: false })),
  ...plainMembers,
  http_method: optional(oneOf(HTTP_METHODS, { default: DEFAULTS.http_method })),
  smtp_port: optional(integer({ minimum: 1, maximum: 65_535, default: DEFAULTS.smtp_port })),
  smtp_use_tls: optional(boolean({ default: DEFAULTS.smtp_use_tls })),
  smtp_tls_mode: optional(ours(oneOf(TLS_MODES, { default: DEFAULTS.smtp_tls_mode }))),
  ...secretMembers,
  ...templates,
  reminder_enabled: optional(boolean({ default: false })),
  reminder_interval_hours: optional(integer({ ...reminderHours, default: 4 })),
});

export const NotificationChannelUpdate = component('NotificationChannelUpdate', {
  name: optional(displayName()),
  description: optional(description),
  enabled: optional(boolean()),
  is_estate_default: optional(boolean()),
  ...plainMembers,
  http_method: optional(PLAIN.http_method),
  smtp_port: optional(PLAIN.smtp_port),
  smtp_use_tls: optional(PLAIN.smtp_use_tls),
  smtp_tls_mode: optional(ours(PLAIN.smtp_tls_mode)),
  ...secretMembers,
  ...templates,
  reminder_enabled: optional(boolean()),
  reminder_interval_hours: optional(integer(reminderHours)),
});

export const TestChannelRequest = component('TestChannelRequest', {
  recipient_email: optional(text({ maxLength: 254 })),
});

export const ChannelTrial = component('ChannelTrial', {
  delivered: boolean(),
  words: text({ description: 'What came of it, in our own words.' }),
  took_ms: integer(),
  answer: nullable(
    object({
      status: integer({ description: 'Of HTTP or SMTP.' }),
      text: text({ description: 'Written by the other side: plain text, not to be trusted.' }),
      is_cut: boolean({ description: 'It said more than is shown.' }),
    }),
  ),
});

const NOTIFICATION_TYPES = ['alert_fire', 'alert_clear', 'reminder'] as const;

export const PreviewTemplateRequest = component('PreviewTemplateRequest', {
  channel_type: channelType,
  notification_type: optional(oneOf(NOTIFICATION_TYPES, { default: 'alert_fire' })),
  template: optional(text({ maxLength: 65_536, description: 'The built-in message when absent.' })),
});

export const PreviewTemplateResponse = component('PreviewTemplateResponse', {
  content_type: oneOf(['application/json', 'text/html']),
  body: text(),
});

const ChannelMember = component('ChannelMember', {
  name: text(),
  kind: oneOf(['text', 'integer', 'boolean', 'choice', 'headers']),
  required: boolean(),
  is_secret: boolean({ description: 'Write-only.' }),
  description: optional(text()),
  choices: optional(list(text())),
  default: optional(text({ description: 'As a text, whatever its kind.' })),
});

export const ChannelTypeInfo = component('ChannelTypeInfo', {
  channel_type: channelType,
  display_name: text(),
  description: text(),
  members: list(ChannelMember),
  has_recipients: boolean(),
  template: optional(oneOf(['json', 'html'])),
  template_fields: list(text()),
});
