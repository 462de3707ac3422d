// The members that configure a channel, each declared once: its shape on the wire, whether it is a secret, and what it
// leads to. A channel's file names the members that it uses; validation, redaction, forms and documentation follow.
import * as s from '../../kernel/schema.ts';

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;
export const TLS_MODES = ['auto', 'starttls', 'implicit'] as const;
export const AUTH_TYPES = ['none', 'basic', 'bearer', 'api_key'] as const;

const LONGEST = 2048;

/** What is shown again. An empty text takes a stored one away. */
export const PLAIN = {
  endpoint_url: s.text({ minLength: 0, maxLength: LONGEST, description: 'http:// or https:// address.' }),
  http_method: s.oneOf(HTTP_METHODS),
  auth_type: s.oneOf(AUTH_TYPES),
  smtp_host: s.text({ minLength: 0, maxLength: 255, description: 'Name or address of the mail server.' }),
  smtp_port: s.integer({ minimum: 1, maximum: 65_535 }),
  smtp_use_tls: s.boolean({ description: 'Nothing is sent without TLS then.' }),
  smtp_tls_mode: s.oneOf(TLS_MODES, {
    description:
      'By the port: TLS from the start on 465, STARTTLS on others. Choose one where your mail server differs.',
  }),
  from_address: s.text({ minLength: 0, maxLength: 254 }),
  from_name: s.text({ minLength: 0, maxLength: 255 }),
} as const satisfies Record<string, s.Schema>;

/** What is stored encrypted and never returned. */
export const SECRET = {
  webhook_url: s.text({
    minLength: 0,
    maxLength: LONGEST,
    description: 'http:// or https:// address; write-only.',
  }),
  auth_credentials: s.text({
    minLength: 0,
    maxLength: LONGEST,
    description: '`user:password`, the token, or `Header-Name: value`, by auth_type; write-only.',
  }),
  smtp_username: s.text({ minLength: 0, maxLength: 255, description: 'Write-only.' }),
  smtp_password: s.text({ minLength: 0, maxLength: LONGEST, description: 'Write-only.' }),
  api_key: s.text({ minLength: 0, maxLength: LONGEST, description: 'Routing or API key; write-only.' }),
  signing_secret: s.text({
    minLength: 0,
    maxLength: 255,
    description:
      'What the other side signs its webhooks with, so that acknowledgements come back; write-only.',
  }),
} as const satisfies Record<string, s.Schema>;

export type PlainName = keyof typeof PLAIN;
export type SecretName = keyof typeof SECRET;
export const SECRET_NAMES = [
  'webhook_url',
  'auth_credentials',
  'smtp_username',
  'smtp_password',
  'api_key',
  'signing_secret',
] as const;

/** What holds where nothing else is set. */
export const DEFAULTS = {
  http_method: 'POST',
  smtp_port: 587,
  smtp_use_tls: true,
  smtp_tls_mode: 'auto',
} as const;

/** `headers` is a list of names with secret values. */
export type MemberName = PlainName | SecretName | 'headers';
