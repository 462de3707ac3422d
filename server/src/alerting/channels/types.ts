// What a channel is: one file of this folder that declares itself with defineChannel. It knows what configures it and
// how a message looks on its wire; everything that guards a delivery (time, size, addresses, secrets) is around it and
// the same for all.
import type { Delivered } from '../../kernel/http/transport.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Message } from './alert-facts.ts';
import type { AUTH_TYPES, HTTP_METHODS, MemberName, SecretName, TLS_MODES } from './members.schemas.ts';

/** What is configured and no secret; absent members are not set. */
export interface ChannelConfig {
  endpoint_url?: string;
  http_method?: (typeof HTTP_METHODS)[number];
  auth_type?: (typeof AUTH_TYPES)[number];
  smtp_host?: string;
  smtp_port?: number;
  smtp_use_tls?: boolean;
  smtp_tls_mode?: (typeof TLS_MODES)[number];
  from_address?: string;
  from_name?: string;
}

export type ChannelSecrets = { readonly [Name in SecretName]?: Secret };

export interface Header {
  name: string;
  value: Secret;
}

export interface Recipient {
  email_address: string;
  display_name?: string | undefined;
}

/** A mail, ready but for where it goes. */
export interface Mail {
  subject: string;
  text: string;
  html: string;
  /** Says which message it is, and which alert or schedule it belongs to. */
  message_id: string;
  thread_id: string;
}

/** The only ways out. Both reject with a DeliveryError. */
export interface WayOut {
  /** Hands over a request; any status of success is success. */
  http(request: Delivered): Promise<string>;
  /** Hands over a mail to all recipients. */
  mail(call: MailCall, mail: Mail): Promise<string>;
}

/** From whom and to whom a mail goes. */
export interface MailCall {
  config: ChannelConfig;
  secrets: ChannelSecrets;
  recipients: readonly Recipient[];
}

export interface SendCall extends MailCall {
  headers: readonly Header[];
  message: Message;
  out: WayOut;
}

export interface ChannelSpec<Name extends string = string> {
  name: Name;
  display_name: string;
  /** One sentence for whoever chooses. */
  description: string;
  /** An addition of ours; marked so in the API. */
  extra?: true;
  /** What configures it, in the order of the form. */
  members: Readonly<Partial<Record<MemberName, 'required' | 'optional'>>>;
  /** Where it goes when no endpoint_url is set. */
  default_url?: string;
  /** What the text that people write for its messages is; absent where there is none to write. */
  template?: 'json' | 'html';
  /** Whether one message may tell of several alerts. Where the other side keeps alerts by itself, each is sent alone. */
  groups: boolean;
  /** The other side keeps alerts open until it is told that they are over; so a test is followed by its end. */
  keeps_alerts?: true;
  /** Also told when somebody acknowledges an alert. */
  acknowledges?: true;
  /** Sends it; answers what the other side did, in our own words. Rejects with a DeliveryError. */
  send(call: SendCall): Promise<string>;
  /** The body of the message as it would be sent; for the preview. */
  body(message: Message): string;
}

export type Channel<Name extends string = string> = ChannelSpec<Name>;

/**
 * Declares a channel.
 * @example
 * export const channel = defineChannel({ name: 'example', display_name: 'Example', description: 'To Example.',
 *   members: { webhook_url: 'required' }, template: 'json', groups: true, body, send });
 */
export function defineChannel<const Name extends string>(spec: ChannelSpec<Name>): Channel<Name> {
  return spec;
}

/** Whose fault it is: of the other side as a whole, so that the rest waits too, or of this one message. */
export type Extent = 'channel' | 'message';

/** A delivery that failed, in our own words: nothing that the other side wrote, nothing that was sent. */
export class DeliveryError extends Error {
  readonly extent: Extent;
  /** What the other side asked for. */
  readonly retry_after_ms: number | undefined;

  constructor(words: string, more: { extent?: Extent; retry_after_ms?: number | undefined } = {}) {
    super(words);
    this.name = 'DeliveryError';
    this.extent = more.extent ?? 'channel';
    this.retry_after_ms = more.retry_after_ms;
  }
}
