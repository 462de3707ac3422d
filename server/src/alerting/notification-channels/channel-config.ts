// What configures a channel, as it is stored and judged. Pure. Guards: only members of the channel's type are kept, and
// what a secret is bound to is one text for one destination.

import { Fault } from '../../kernel/errors.ts';
import {
  AUTH_TYPES,
  DEFAULTS,
  HTTP_METHODS,
  type MemberName,
  PLAIN,
  type PlainName,
  SECRET_NAMES,
  type SecretName,
  TLS_MODES,
} from '../channels/members.schemas.ts';
import { channelOf } from '../channels/sender.ts';
import type { Channel, ChannelConfig } from '../channels/types.ts';

/** A stored type is one of the catalog, unless an older program has met a newer datastore. */
export function channelNamed(type: string): Channel {
  const channel = channelOf(type);
  if (!channel) throw new Fault('conflict', 'This program does not know channels of that type.');
  return channel;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const isPlain = (name: string): name is PlainName => Object.hasOwn(PLAIN, name);

/** From the datastore or a request; what does not fit is not set. */
export function readConfig(values: object): ChannelConfig {
  const get = (name: PlainName): unknown => Reflect.get(values, name);
  const [url, host, address, name] = [
    text(get('endpoint_url')),
    text(get('smtp_host')),
    text(get('from_address')),
    text(get('from_name')),
  ];
  const [port, tls] = [get('smtp_port'), get('smtp_use_tls')];
  const method = HTTP_METHODS.find((known) => known === get('http_method'));
  const mode = TLS_MODES.find((known) => known === get('smtp_tls_mode'));
  const auth = AUTH_TYPES.find((known) => known === get('auth_type'));
  return {
    ...(url !== undefined && { endpoint_url: url }),
    ...(method !== undefined && { http_method: method }),
    ...(auth !== undefined && { auth_type: auth }),
    ...(host !== undefined && { smtp_host: host }),
    ...(typeof port === 'number' && { smtp_port: port }),
    ...(typeof tls === 'boolean' && { smtp_use_tls: tls }),
    ...(mode !== undefined && { smtp_tls_mode: mode }),
    ...(address !== undefined && { from_address: address }),
    ...(name !== undefined && { from_name: name }),
  };
}

/** The members of the type alone; absent ones stay as stored, an empty text takes one away. */
export function mergedConfig(channel: Channel, stored: ChannelConfig, input: object): ChannelConfig {
  const names = Object.keys(channel.members).filter(isPlain);
  const given = names
    .filter((name) => Reflect.get(input, name) !== undefined)
    .map((name) => [name, Reflect.get(input, name)]);
  return readConfig({ ...stored, ...Object.fromEntries(given) });
}

export const secretNamesOf = (channel: Channel): SecretName[] =>
  SECRET_NAMES.filter((name) => Object.hasOwn(channel.members, name));

export const takesHeaders = (channel: Channel) => Object.hasOwn(channel.members, 'headers');

/** Where the secrets of the channel go; a webhook_url is itself where it goes. */
export function destinationOf(channel: Channel, config: ChannelConfig): string {
  if (Object.hasOwn(channel.members, 'smtp_host')) {
    const { smtp_host: host = '', smtp_port: port, smtp_use_tls: tls } = config;
    const is = {
      host: host.toLowerCase(),
      port: port ?? DEFAULTS.smtp_port,
      tls: tls ?? DEFAULTS.smtp_use_tls,
    };
    return JSON.stringify([channel.name, is]);
  }
  return JSON.stringify([channel.name, config.endpoint_url ?? channel.default_url ?? null]);
}

/** The same server, but with TLS from now on: the secrets may go along. */
export function isOnlySafer(channel: Channel, before: ChannelConfig, after: ChannelConfig): boolean {
  const safe = { ...before, smtp_use_tls: true };
  return after.smtp_use_tls !== false && destinationOf(channel, safe) === destinationOf(channel, after);
}

export const HEADER_PREFIX = 'header:';

export const headerNames = (secretNames: readonly string[]): string[] =>
  secretNames
    .filter((name) => name.startsWith(HEADER_PREFIX))
    .map((name) => name.slice(HEADER_PREFIX.length));

export const isRequired = (channel: Channel, name: MemberName) => channel.members[name] === 'required';
