// What somebody entered as a channel, judged before it is stored: kind sentences, no contact with the other side. Guards:
// no address in a refused range is saved, nothing that is sent as a header can hold another one, and no template is
// stored that could not be sent. A name that does not resolve now is accepted; each delivery judges it again.

import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { Deadline } from '../../monitored/deadline.ts';
import { hostProblem } from '../../monitored/host-name.ts';
import { type Lookup, lookupHost } from '../../monitored/lookup.ts';
import { resolveHost } from '../../monitored/resolve.ts';
import { TargetError } from '../../monitored/target-error.ts';
import { sampleAlerts } from '../channels/alert-facts.ts';
import { jsonProblem } from '../channels/support/json.ts';
import { parseTemplate, TemplateError } from '../channels/support/template.ts';
import type { Channel, ChannelConfig } from '../channels/types.ts';
import { isRequired } from './channel-config.ts';

const DNS_MS = 2000;
const MOST_HEADERS = 50;
const CONTROL = /\p{Cc}/u;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** PagerDuty's are longer; a short one could be guessed. */
const SIGNING_SECRET = /^[\x21-\x7e]{16,255}$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** What frames a request belongs to the program. */
const OURS =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|upgrade|expect|te|trailer|keep-alive|idempotency-key|proxy-.*)$/i;

export interface AddressRules {
  allow_private_networks: boolean;
  lookup?: Lookup | undefined;
}

export function refuse(sentence: string): never {
  throw new Fault('bad_request', sentence);
}

const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]{1,64}@([^\s@]+)$/u;

export function checkEmailAddress(member: string, address: string): void {
  const host = ADDRESS.exec(address)?.[1];
  if (host === undefined || hostProblem(host) !== undefined || address.length > 254)
    refuse(`${member} must be an email address such as ada@example.com.`);
}

/** What is entered, stored and not cleared, by the names of secrets. */
export type Held = Pick<ReadonlySet<string>, 'has'>;

const REQUIREMENTS = ['endpoint_url', 'smtp_host', 'from_address'] as const;
const REQUIRED_SECRETS = ['webhook_url', 'api_key'] as const;

function checkComplete(channel: Channel, config: ChannelConfig, held: Held): void {
  const missing = [
    ...REQUIREMENTS.filter((name) => isRequired(channel, name) && config[name] === undefined),
    ...REQUIRED_SECRETS.filter((name) => isRequired(channel, name) && !held.has(name)),
  ];
  const [first] = missing;
  if (first !== undefined) refuse(`${first} is missing: a channel of type ${channel.name} needs it.`);
}

function urlOf(member: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return refuse(`${member} must be an http:// or https:// address.`);
  if (url.username !== '' || url.password !== '')
    refuse(`${member} must not hold a user name or password; auth_type and auth_credentials are for these.`);
  return url;
}

/** Everything that can be judged without DNS. */
export function checkConfig(channel: Channel, config: ChannelConfig, held: Held): void {
  checkComplete(channel, config, held);
  if (config.endpoint_url !== undefined) urlOf('endpoint_url', config.endpoint_url);
  const { smtp_host: host, from_address: address, from_name: name } = config;
  const problem = host === undefined ? undefined : hostProblem(host);
  if (problem !== undefined) refuse(`smtp_host: ${problem}`);
  if (address !== undefined) checkEmailAddress('from_address', address);
  if (name !== undefined && CONTROL.test(name)) refuse('from_name must not hold control characters.');
  if (held.has('smtp_password') && !held.has('smtp_username'))
    refuse('smtp_username is missing: a password alone signs in nowhere.');
  const wants = Object.hasOwn(channel.members, 'auth_type') && (config.auth_type ?? 'none') !== 'none';
  if (wants && !held.has('auth_credentials'))
    refuse(`auth_credentials is missing: auth_type ${config.auth_type} needs it.`);
}

/** Of secrets as they are entered. */
export function checkSecret(name: string, value: string, config: ChannelConfig): void {
  if (CONTROL.test(value)) refuse(`${name} must not hold control characters.`);
  if (name === 'webhook_url') urlOf(name, value);
  if (name === 'api_key' && !HEADER_VALUE.test(value)) refuse('api_key must be plain text.');
  if (name === 'signing_secret' && !SIGNING_SECRET.test(value))
    refuse(
      'signing_secret must be the secret that PagerDuty shows when a webhook is created: 16 or more characters.',
    );
  if (name !== 'auth_credentials') return;
  if (!HEADER_VALUE.test(value) && config.auth_type !== 'basic')
    refuse('auth_credentials must be plain text.');
  if (config.auth_type === 'basic' && !value.includes(':')) refuse('auth_credentials must be user:password.');
  if (config.auth_type !== 'api_key') return;
  const header = /^([^:]+):\s*\S/.exec(value)?.[1]?.trim();
  if (header === undefined) refuse('auth_credentials must be Header-Name: value.');
  else checkHeader(header, '');
}

function checkHeader(name: string, value: string): void {
  if (!HEADER_NAME.test(name)) refuse(`${JSON.stringify(cutText(name, 60))} is no name of a header.`);
  if (OURS.test(name)) refuse(`The header ${name} is set by Matriarch itself.`);
  if (!HEADER_VALUE.test(value))
    refuse(`The value of the header ${name} must be one line of plain ASCII text.`);
}

export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (names.length > MOST_HEADERS) refuse(`headers must be at most ${MOST_HEADERS}.`);
  if (new Set(names).size < names.length) refuse('headers must not name one header twice.');
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
}

async function checkHost(member: string, host: string, rules: AddressRules): Promise<void> {
  const deadline = new Deadline(DNS_MS);
  try {
    const { allow_private_networks } = rules;
    await deadline.race(resolveHost({ host, allow_private_networks }, rules.lookup ?? lookupHost));
  } catch (cause) {
    if (!(cause instanceof TargetError)) return;
    if (cause.code === 'bad_host') throw new Fault('bad_request', `${member}: ${cause.message}`, { cause });
    if (cause.code === 'address_refused')
      throw new Fault(
        'bad_request',
        `${member} leads to an address that is not allowed. Private and loopback addresses need the setting channels.allow_private_networks; link-local and metadata addresses are always refused.`,
        { cause },
      );
  } finally {
    deadline.end();
  }
}

/** Asks DNS, briefly. */
export async function checkAddresses(
  config: ChannelConfig,
  webhookUrl: string | undefined,
  rules: AddressRules,
): Promise<void> {
  const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
  const { endpoint_url: endpoint, smtp_host: smtp } = config;
  if (endpoint !== undefined) await checkHost('endpoint_url', hostOf(urlOf('endpoint_url', endpoint)), rules);
  if (webhookUrl !== undefined)
    await checkHost('webhook_url', hostOf(urlOf('webhook_url', webhookUrl)), rules);
  if (smtp !== undefined) await checkHost('smtp_host', smtp, rules);
}

const KINDS = {
  template_alert_fire: 'fire',
  template_alert_clear: 'clear',
  template_reminder: 'reminder',
} as const;
export type TemplateName = keyof typeof KINDS;
export const TEMPLATE_NAMES = ['template_alert_fire', 'template_alert_clear', 'template_reminder'] as const;

/** Against samples with everything and with as little as there can be. */
export function checkTemplate(channel: Channel, name: TemplateName | 'template', source: string): void {
  try {
    parseTemplate(source);
  } catch (cause) {
    if (cause instanceof TemplateError) throw new Fault('bad_request', `${name} ${cause.message}`, { cause });
    throw cause;
  }
  if (channel.template !== 'json') return;
  const kind = name === 'template' ? 'fire' : KINDS[name];
  const problem = sampleAlerts(kind).some((alert) => jsonProblem(source, alert, kind));
  if (problem)
    refuse(
      `${name} does not make valid JSON. Put values between double quotes, and {{if .Field}} around what may be absent.`,
    );
}
