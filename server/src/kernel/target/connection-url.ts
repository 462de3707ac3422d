// A server to connect to as people write it down: a postgres:// URL or libpq's keyword form. Guards: what is not understood is named,
// with what to do, and not left out; no part that may be a secret stands in a message.
import { UsageError } from '../errors.ts';
import { cutText } from '../inert-text.ts';
import { Secret } from '../secret.ts';
import type { TargetSettings } from './settings.ts';
import { SSL_MODES, type SslMode } from './ssl-mode.ts';

export type UrlSettings = Pick<
  TargetSettings,
  | 'host'
  | 'hostaddr'
  | 'port'
  | 'database'
  | 'username'
  | 'password'
  | 'ssl_mode'
  | 'ssl_root_cert_path'
  | 'ssl_cert_path'
  | 'ssl_key_path'
> & {
  /** Where libpq would look for the password. */
  passfile?: string;
};

/** Words of libpq with their values; what was not given is absent. */
export type ConnectionWords = ReadonlyMap<string, string>;

const FORM = 'postgres://user@host:5432/database?sslmode=verify-full';
const KNOWN = new Set([
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl'],
]);
/** What is of no use here and does no harm: how clients keep connections, what they call themselves, and where their tables are. */
const IGNORED = new Set([
  ...[
    'application_name',
    'fallback_application_name',
    'client_encoding',
    'connect_timeout',
    'channel_binding',
  ],
  ...['target_session_attrs', 'load_balance_hosts', 'keepalives', 'keepalives_idle', 'keepalives_interval'],
  ...['keepalives_count', 'tcp_user_timeout', 'gssencmode', 'sslcompression', 'sslsni', 'uselibpqcompat'],
  ...['pgbouncer', 'connection_limit', 'pool_timeout', 'pool_size', 'statement_cache_size', 'schema'],
]);
const REASONS: Readonly<Record<string, string>> = {
  options:
    'sets parameters of the session, which Matriarch sets itself. Leave it out; set what the role needs with alter role … set …',
  service:
    'names an entry of pg_service.conf, which is not read. Write its host, port, dbname and user instead',
  servicefile: 'names a file of services, which is not read. Write host, port, dbname and user instead',
  sslcrl: 'names a list of revoked certificates, which is not read. Leave it out',
  sslcrldir: 'names lists of revoked certificates, which are not read. Leave it out',
  sslpassword: 'unlocks a key with a password. Name a key without a password in sslkey',
  sslnegotiation: 'asks for TLS without asking the server first. Leave it out; TLS is negotiated',
  require_auth: 'limits ways to sign in. Leave it out',
  replication: 'asks for a session of replication. Leave it out',
};

const refuse = (sentence: string) => new UsageError(sentence);

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse(`The ${what} in the URL is not encoded as URLs are: write % as %25.`);
  }
}

const SEVERAL =
  'This names several hosts. Name the one server that is meant; each server is looked at by itself.';

/** `user:password@host:port` of a URL: taken apart by hand, since libpq allows what URLs do not. */
function authorityWords(authority: string): [string, string][] {
  const at = authority.lastIndexOf('@');
  const [credentials, address] = [authority.slice(0, Math.max(0, at)), authority.slice(at + 1)];
  if (address.includes(',')) throw refuse(SEVERAL);
  const colon = credentials.indexOf(':');
  const user = colon === -1 ? credentials : credentials.slice(0, colon);
  const found = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(address);
  if (!found) throw refuse(`The host and port in the URL cannot be told apart. Write it as ${FORM}.`);
  return [
    ['user', decoded(user, 'user')],
    ['password', colon === -1 ? '' : decoded(credentials.slice(colon + 1), 'password')],
    ['host', decoded(found[1] ?? '', 'host').replace(/^\[|\]$/g, '')],
    ['port', found[2] ?? ''],
  ];
}

function urlWords(text: string): [string, string][] {
  if (text.includes('#')) throw refuse('The URL has a #: write it as %23 where it belongs to the password.');
  const [, authority = '', pathname = '', search = ''] =
    /^\w+:\/\/([^/?]*)(\/[^?]*)?(?:\?(.*))?$/s.exec(text) ?? [];
  const parameters =
    search === ''
      ? []
      : search.split('&').map((pair): [string, string] => {
          const at = pair.indexOf('=');
          const name = decoded(at === -1 ? pair : pair.slice(0, at), 'name of a parameter');
          return [name, at === -1 ? '' : decoded(pair.slice(at + 1), `parameter ${cutText(name, 40)}`)];
        });
  const own = [
    ...authorityWords(authority),
    ['dbname', decoded(pathname.slice(1), 'database')] satisfies [string, string],
  ];
  return [...own.filter(([, value]) => value !== ''), ...parameters];
}

const PAIR = /\s*([A-Za-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/sy;

function keywordWords(text: string): [string, string][] {
  const words: [string, string][] = [];
  const rest = text.trim();
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < rest.length) {
    const found = PAIR.exec(rest);
    if (!found)
      throw refuse(
        "The words of the connection cannot be told apart. Write them as host=… user='…' dbname=….",
      );
    words.push([(found[1] ?? '').toLowerCase(), (found[2] ?? found[3] ?? '').replaceAll(/\\(.)/gs, '$1')]);
  }
  return words;
}

/** The words of a URL or of the keyword form; the later of two that say the same counts, as with libpq. */
export function connectionWords(text: string): ConnectionWords {
  const isUrl = /^postgres(?:ql)?:\/\//i.test(text);
  const isKeywords = !isUrl && /^\s*[A-Za-z_]+\s*=/.test(text);
  if (!isUrl && !isKeywords) throw refuse(`This is no postgres:// URL. Write it as ${FORM}.`);
  const words = new Map<string, string>();
  for (const [name, value] of isUrl ? urlWords(text) : keywordWords(text)) {
    const reason = REASONS[name];
    if (reason !== undefined) throw refuse(`${name} ${reason}.`);
    if (!KNOWN.has(name) && !IGNORED.has(name))
      throw refuse(`The parameter ${cutText(name, 40)} is not supported. Leave it out.`);
    // A socket directory beside a host is a second way to the same server.
    if (name === 'host' && value.startsWith('/') && words.has('host')) continue;
    words.set(name, value);
  }
  return words;
}

const isOn = (value: string | undefined) => value === 'true' || value === '1' || value === 'require';

function sslOf(
  words: ConnectionWords,
): Pick<UrlSettings, 'ssl_mode' | 'ssl_root_cert_path' | 'ssl_cert_path' | 'ssl_key_path'> {
  const [asked, root] = [words.get('sslmode'), words.get('sslrootcert')];
  const isSystem = root === 'system';
  const usual: SslMode = isSystem ? 'verify-full' : isOn(words.get('ssl')) ? 'require' : 'prefer';
  const ssl_mode = asked ? SSL_MODES.find((mode) => mode === asked) : usual;
  if (!ssl_mode) throw refuse(`sslmode must be one of ${SSL_MODES.join(', ')}.`);
  if (isSystem && ssl_mode !== 'verify-full')
    throw refuse('sslrootcert=system trusts the authorities of this system, and needs sslmode=verify-full.');
  const [cert, key] = [words.get('sslcert'), words.get('sslkey')];
  return {
    ssl_mode,
    ...(root && !isSystem && { ssl_root_cert_path: root }),
    ...(cert && { ssl_cert_path: cert }),
    ...(key && { ssl_key_path: key }),
  };
}

function portOf(text: string | undefined): number {
  if (!text) return 5432;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw refuse('The port must be a number from 1 to 65535.');
  return port;
}

/** User and database default as libpq's do: the database is named like the user. */
export function settingsFrom(words: ConnectionWords): UrlSettings {
  const [host = '', hostaddr, password, passfile] = ['host', 'hostaddr', 'password', 'passfile'].map((name) =>
    words.get(name),
  );
  const named = host || hostaddr || '';
  if (`${host}${hostaddr ?? ''}`.includes(',') || words.get('port')?.includes(',')) throw refuse(SEVERAL);
  if (named.startsWith('/') || named.startsWith('@'))
    throw refuse(
      'This names a socket directory. Matriarch connects over TCP: give a host name or an address.',
    );
  if (named === '') throw refuse(`The URL names no host. Write it as ${FORM}.`);
  const username = words.get('user') || 'postgres';
  return {
    host: named,
    ...(hostaddr && hostaddr !== named && { hostaddr }),
    port: portOf(words.get('port')),
    username,
    database: words.get('dbname') || username,
    password: password ? new Secret(password) : undefined,
    ...(passfile && { passfile }),
    ...sslOf(words),
  };
}

export const readConnectionUrl = (text: string): UrlSettings => settingsFrom(connectionWords(text));
