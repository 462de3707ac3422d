// A postgres:// URL of a server to connect to, taken apart as libpq understands it. Guards: what is not understood is said and not
// left out; no part of the URL that may be a secret stands in a message.

import { UsageError } from '../errors.ts';
import { cutText } from '../inert-text.ts';
import { Secret } from '../secret.ts';
import type { TargetSettings } from './settings.ts';
import { SSL_MODES } from './ssl-mode.ts';

export type UrlSettings = Pick<
  TargetSettings,
  | 'host'
  | 'port'
  | 'database'
  | 'username'
  | 'password'
  | 'ssl_mode'
  | 'ssl_root_cert_path'
  | 'ssl_cert_path'
  | 'ssl_key_path'
>;

const FORM = 'postgres://user@host:5432/database?sslmode=verify-full';
/** What is of no use here and does no harm. */
const IGNORED = new Set(['application_name', 'connect_timeout', 'channel_binding', 'target_session_attrs']);
const FILES: Readonly<Record<string, 'ssl_root_cert_path' | 'ssl_cert_path' | 'ssl_key_path'>> = {
  sslrootcert: 'ssl_root_cert_path',
  sslcert: 'ssl_cert_path',
  sslkey: 'ssl_key_path',
};

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(`The ${what} in the URL is not encoded as URLs are: write % as %25.`);
  }
}

function parametersOf(parameters: URLSearchParams) {
  const found: Partial<Record<(typeof FILES)[string], string>> = {};
  let ssl_mode: UrlSettings['ssl_mode'] = 'prefer';
  for (const [name, value] of parameters) {
    const file = FILES[name];
    if (name === 'sslmode') {
      const known = SSL_MODES.find((mode) => mode === value);
      if (!known) throw new UsageError(`sslmode in the URL must be one of ${SSL_MODES.join(', ')}.`);
      ssl_mode = known;
    } else if (file) found[file] = value;
    else if (!IGNORED.has(name))
      throw new UsageError(`The parameter ${cutText(name, 40)} in the URL is not supported.`);
  }
  return { ssl_mode, ...found };
}

/** User and database default as libpq's do: the database is named like the user. */
export function readConnectionUrl(text: string): UrlSettings {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw new UsageError(`This is no postgres:// URL. Write it as ${FORM}.`);
  if (url.hostname === '') throw new UsageError(`The URL names no host. Write it as ${FORM}.`);
  if (url.hash !== '')
    throw new UsageError('The URL has a #: write it as %23 where it belongs to the password.');
  const username = decoded(url.username, 'user') || 'postgres';
  const database = decoded(url.pathname.slice(1), 'database') || username;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 5432 : Number(url.port),
    username,
    database,
    password: url.password === '' ? undefined : new Secret(decoded(url.password, 'password')),
    ...parametersOf(url.searchParams),
  };
}
