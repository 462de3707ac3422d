// The shapes of channels, their recipients and their templates. Secrets go in and are never in a reply.

import * as s from '../../kernel/schema.ts';
import { CHANNEL_TYPES, EXTRA_CHANNEL_TYPES } from '../channels/channel-names.schemas.ts';
import { AUTH_TYPES, DEFAULTS, HTTP_METHODS, PLAIN, SECRET, TLS_MODES } from '../channels/members.schemas.ts';

const channelType = s.oneOf(CHANNEL_TYPES, { extra: EXTRA_CHANNEL_TYPES });
const description = s.text({ minLength: 0, maxLength: 4000 });
const template = s.text({ minLength: 0, maxLength: 65_536 });
const reminderHours = { minimum: 1, maximum: 720 };
const secretMembers = {
  webhook_url: s.optional(SECRET.webhook_url),
  auth_credentials: s.optional(SECRET.auth_credentials),
  smtp_username: s.optional(SECRET.smtp_username),
  smtp_password: s.optional(SECRET.smtp_password),
  api_key: s.optional(s.ours(SECRET.api_key)),
  signing_secret: s.optional(s.ours(SECRET.signing_secret)),
  headers: s.optional(
    s.record(s.text({ maxLength: 4096 }), { description: 'Header values are write-only.' }),
  ),
};
const templates = {
  template_alert_fire: s.optional(template),
  template_alert_clear: s.optional(template),
  template_reminder: s.optional(template),
};
const plainMembers = {
  endpoint_url: s.optional(PLAIN.endpoint_url),
  auth_type: s.optional(PLAIN.auth_type),
  smtp_host: s.optional(PLAIN.smtp_host),
  from_address: s.optional(PLAIN.from_address),
  from_name: s.optional(PLAIN.from_name),
};

export const EmailRecipient = s.component('EmailRecipient', {
  id: s.longId(),
  channel_id: s.longId(),
  email_address: s.text(),
  display_name: s.optional(s.text()),
  enabled: s.boolean(),
  created_at: s.timestamp(),
});

const emailAddress = s.text({ minLength: 1, maxLength: 254 });
const recipientName = s.displayName({ minLength: 0 });

export const EmailRecipientCreate = s.component('EmailRecipientCreate', {
  email_address: emailAddress,
  display_name: s.optional(recipientName),
  enabled: s.optional(s.boolean({ default: true })),
});

export const EmailRecipientUpdate = s.component('EmailRecipientUpdate', {
  email_address: s.optional(emailAddress),
  display_name: s.optional(recipientName),
  enabled: s.optional(s.boolean()),
});

export const NotificationChannel = s.component('NotificationChannel', {
  id: s.longId(),
  owner_username: s.optional(s.text()),
  owner_token: s.optional(s.text()),
  enabled: s.boolean(),
  channel_type: channelType,
  name: s.text(),
  description: s.optional(s.text()),
  webhook_url_set: s.boolean(),
  endpoint_url: s.optional(s.text()),
  http_method: s.oneOf(HTTP_METHODS),
  header_names: s.optional(s.list(s.text())),
  auth_type: s.optional(s.oneOf(AUTH_TYPES)),
  auth_credentials_set: s.boolean(),
  api_key_set: s.ours(s.boolean()),
  signing_secret_set: s.ours(s.boolean()),
  smtp_host: s.optional(s.text()),
  smtp_port: s.integer(),
  smtp_username_set: s.boolean(),
  smtp_password_set: s.boolean(),
  smtp_use_tls: s.boolean(),
  smtp_tls_mode: s.optional(s.ours(PLAIN.smtp_tls_mode)),
  from_address: s.optional(s.text()),
  from_name: s.optional(s.text()),
  template_alert_fire: s.optional(s.text()),
  template_alert_clear: s.optional(s.text()),
  template_reminder: s.optional(s.text()),
  reminder_enabled: s.boolean(),
  reminder_interval_hours: s.integer(),
  is_estate_default: s.boolean(),
  recipients: s.optional(s.list(EmailRecipient)),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
});

export const NotificationChannelCreate = s.component('NotificationChannelCreate', {
  channel_type: channelType,
  name: s.displayName(),
  description: s.optional(description),
  enabled: s.optional(s.boolean({ default: true })),
  is_estate_default: s.optional(s.boolean({ default: false })),
  ...plainMembers,
  http_method: s.optional(s.oneOf(HTTP_METHODS, { default: DEFAULTS.http_method })),
  smtp_port: s.optional(s.integer({ minimum: 1, maximum: 65_535, default: DEFAULTS.smtp_port })),
  smtp_use_tls: s.optional(s.boolean({ default: DEFAULTS.smtp_use_tls })),
  smtp_tls_mode: s.optional(s.ours(s.oneOf(TLS_MODES, { default: DEFAULTS.smtp_tls_mode }))),
  ...secretMembers,
  ...templates,
  reminder_enabled: s.optional(s.boolean({ default: false })),
  reminder_interval_hours: s.optional(s.integer({ ...reminderHours, default: 4 })),
});

export const NotificationChannelUpdate = s.component('NotificationChannelUpdate', {
  name: s.optional(s.displayName()),
  description: s.optional(description),
  enabled: s.optional(s.boolean()),
  is_estate_default: s.optional(s.boolean()),
  ...plainMembers,
  http_method: s.optional(PLAIN.http_method),
  smtp_port: s.optional(PLAIN.smtp_port),
  smtp_use_tls: s.optional(PLAIN.smtp_use_tls),
  smtp_tls_mode: s.optional(s.ours(PLAIN.smtp_tls_mode)),
  ...secretMembers,
  ...templates,
  reminder_enabled: s.optional(s.boolean()),
  reminder_interval_hours: s.optional(s.integer(reminderHours)),
});

export const TestChannelRequest = s.component('TestChannelRequest', {
  recipient_email: s.optional(s.text({ maxLength: 254 })),
});

export const ChannelTrial = s.component('ChannelTrial', {
  delivered: s.boolean(),
  words: s.text({ description: 'What came of it, in our own words.' }),
  took_ms: s.integer(),
  answer: s.nullable(
    s.object({
      status: s.integer({ description: 'Of HTTP or SMTP.' }),
      text: s.text({ description: 'Written by the other side: plain text, not to be trusted.' }),
      is_cut: s.boolean({ description: 'It said more than is shown.' }),
    }),
  ),
});

const NOTIFICATION_TYPES = ['alert_fire', 'alert_clear', 'reminder'] as const;

export const PreviewTemplateRequest = s.component('PreviewTemplateRequest', {
  channel_type: channelType,
  notification_type: s.optional(s.oneOf(NOTIFICATION_TYPES, { default: 'alert_fire' })),
  template: s.optional(s.text({ maxLength: 65_536, description: 'The built-in message when absent.' })),
});

export const PreviewTemplateResponse = s.component('PreviewTemplateResponse', {
  content_type: s.oneOf(['application/json', 'text/html']),
  body: s.text(),
});

const ChannelMember = s.component('ChannelMember', {
  name: s.text(),
  kind: s.oneOf(['text', 'integer', 'boolean', 'choice', 'headers']),
  required: s.boolean(),
  is_secret: s.boolean({ description: 'Write-only.' }),
  description: s.optional(s.text()),
  choices: s.optional(s.list(s.text())),
  default: s.optional(s.text({ description: 'As a text, whatever its kind.' })),
});

export const ChannelTypeInfo = s.component('ChannelTypeInfo', {
  channel_type: channelType,
  display_name: s.text(),
  description: s.text(),
  members: s.list(ChannelMember),
  has_recipients: s.boolean(),
  template: s.optional(s.oneOf(['json', 'html'])),
  template_fields: s.list(s.text()),
});
