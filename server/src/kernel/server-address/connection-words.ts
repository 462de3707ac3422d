// What the names in a connection string mean here. One judgement for the command line, the datastore's URL and the web page, which
// shares this very code. Pure. Guards: each name is taken, or left out and listed, or refused with what to do; what asks for
// more safety than is given is never left out.
import { UsageError } from '../errors.ts';
import { cutText } from '../inert-text.ts';
import { FORM, pairsOf } from './connection-forms.ts';
import { SSL_MODES, type SslMode } from './ssl-mode.ts';

/** Words of libpq with their values; what was not given is absent. `socket` is a directory that stands beside a host. */
export type ConnectionWords = ReadonlyMap<string, string>;

export interface ReadWords {
  words: ConnectionWords;
  /** Names that were given and are of no use here, as they were written. */
  left_out: readonly string[];
}

const KNOWN = new Set([
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl'],
]);

/** How clients keep connections, what they call themselves, and where their tables are. In lower case. */
const OF_CLIENTS = new Set([
  ...[
    'application_name',
    'fallback_application_name',
    'applicationname',
    'client_encoding',
    'connect_timeout',
  ],
  ...[
    'channel_binding',
    'target_session_attrs',
    'targetservertype',
    'load_balance_hosts',
    'loadbalancehosts',
  ],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['tcpkeepalive', 'gssencmode', 'sslcompression', 'sslsni', 'sslnegotiation', 'uselibpqcompat'],
  // Prisma
  ...['pgbouncer', 'connection_limit', 'pool_timeout', 'pool_size', 'statement_cache_size', 'schema'],
  ...['sslaccept', 'socket_timeout'],
  // Rails, SQLAlchemy, Go
  ...['pool', 'max_overflow', 'prepared_statements', 'checkout_timeout', 'reaping_frequency', 'idle_timeout'],
  ...[
    'prepared_statement_cache_size',
    'async_fallback',
    'command_timeout',
    'pool_max_conns',
    'pool_min_conns',
  ],
  ...['pool_max_conn_lifetime', 'pool_max_conn_idle_time', 'pool_health_check_period', 'binary_parameters'],
  ...['default_query_exec_mode', 'statement_cache_capacity', 'statement_cache_mode', 'supa'],
  // JDBC
  ...[
    'currentschema',
    'logintimeout',
    'connecttimeout',
    'sockettimeout',
    'canceltimeout',
    'preparethreshold',
  ],
  ...[
    'preparedstatementcachequeries',
    'rewritebatchedinserts',
    'stringtype',
    'defaultrowfetchsize',
    'readonly',
  ],
  ...[
    'autosave',
    'binarytransfer',
    'loggerlevel',
    'loggerfile',
    'assumeminserverversion',
    'prefer_query_mode',
  ],
  ...['preferquerymode', 'reportname', 'hostrecheckseconds', 'adaptivefetch', 'escapesyntaxcallmode'],
]);

/** Of the ones above, values that ask for something that would be missing. */
const DEMANDS: Readonly<Record<string, readonly [value: string, reason: string]>> = {
  channel_binding: [
    'require',
    'asks for channel binding, which Matriarch does not do. Leave it out; sslmode=verify-full proves the server',
  ],
  gssencmode: [
    'require',
    'asks for encryption by Kerberos, which Matriarch does not speak. Use TLS: sslmode=require',
  ],
  sslnegotiation: ['direct', 'asks for TLS without asking the server first. Leave it out; TLS is negotiated'],
  sslaccept: ['strict', 'asks for a verified server. Write sslmode=verify-full'],
};

const OF_SESSION =
  'sets parameters of the session, which Matriarch sets itself. Leave it out; set what the role needs with alter role … set …';
const REVOKED = 'names revoked certificates, which are not read. Leave it out';
const REASONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['options', 'search_path', 'statement_timeout', 'lock_timeout', 'timezone', 'datestyle', 'role'],
      ...['idle_in_transaction_session_timeout', 'default_transaction_read_only'],
    ].map((name) => [name, OF_SESSION]),
  ),
  service:
    'names an entry of pg_service.conf, which is not read. Write its host, port, dbname and user instead',
  servicefile: 'names a file of services, which is not read. Write host, port, dbname and user instead',
  sslcrl: REVOKED,
  sslcrldir: REVOKED,
  sslpassword: 'unlocks a key with a password. Name a key without a password in sslkey',
  sslfactory: 'names a class of Java. Leave it out, and say in sslmode how much is verified',
  ssl_min_protocol_version: 'limits versions of TLS. Leave it out; TLS 1.2 and newer are spoken',
  ssl_max_protocol_version: 'limits versions of TLS. Leave it out; TLS 1.2 and newer are spoken',
  require_auth: 'limits ways to sign in. Leave it out',
  replication: 'asks for a session of replication. Leave it out',
};

/** Refuses what cannot be had; answers whether the name is of no use here. */
function judge(written: string, value: string): 'taken' | 'left_out' {
  const name = written.toLowerCase();
  const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  if (reason !== undefined) throw new UsageError(`${name} ${reason}.`);
  if (KNOWN.has(name)) return 'taken';
  if (!OF_CLIENTS.has(name))
    throw new UsageError(`The parameter ${cutText(written, 40)} is not supported. Leave it out.`);
  const demand = Object.hasOwn(DEMANDS, name) ? DEMANDS[name] : undefined;
  if (demand?.[0] === value.toLowerCase()) throw new UsageError(`${name}=${demand[0]} ${demand[1]}.`);
  return 'left_out';
}

/** The words of a connection string in whatever form. Rejects with a UsageError, as a sentence that says what to do. */
export function readWords(text: string): ReadWords {
  const words = new Map<string, string>();
  const left_out: string[] = [];
  for (const [written, value] of pairsOf(text)) {
    const name = written.toLowerCase();
    if (judge(written, value) === 'left_out') left_out.push(cutText(written, 40));
    // A socket directory beside a host is a second way to the same server.
    else if (name === 'host' && value.startsWith('/') && words.get('host')) words.set('socket', value);
    else words.set(name, value);
  }
  return { words, left_out: [...new Set(left_out)] };
}

/** A server as its words say it; what was not given is absent. */
export interface ConnectionParts {
  host?: string;
  /** Another address than the one that the host's name stands for. */
  hostaddr?: string;
  port?: number;
  username?: string;
  database?: string;
  password?: string;
  ssl_mode?: SslMode;
  ssl_root_cert_path?: string;
  ssl_cert_path?: string;
  ssl_key_path?: string;
}

const SEVERAL = 'This names several hosts. Name one host: each server is a connection of its own.';

/** Of drivers that have a word of their own for a mode. */
const MODE_OF_SSL: Readonly<Record<string, SslMode | undefined>> = {
  ...Object.fromEntries(SSL_MODES.map((mode) => [mode, mode])),
  'no-verify': 'require',
  ...Object.fromEntries(['true', '1', 'on', 'yes'].map((value) => [value, 'require'])),
  // Less than that would be "do not encrypt", and to leave TLS to the server does not mean that.
  ...Object.fromEntries(['false', '0', 'off', 'no', ''].map((value) => [value, undefined])),
};

function modeOf(words: ConnectionWords): SslMode | undefined {
  const [mode, ssl] = [words.get('sslmode'), words.get('ssl')?.toLowerCase()];
  if (mode === 'no-verify') return 'require';
  if (mode) {
    const found = SSL_MODES.find((one) => one === mode);
    if (found === undefined) throw new UsageError(`sslmode must be one of ${SSL_MODES.join(', ')}.`);
    return found;
  }
  if (ssl === undefined) return undefined;
  if (!Object.hasOwn(MODE_OF_SSL, ssl))
    throw new UsageError(`ssl must be true, or leave it out and write sslmode=… (${SSL_MODES.join(', ')}).`);
  return MODE_OF_SSL[ssl];
}

function tlsOf(words: ConnectionWords): ConnectionParts {
  const [root, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => words.get(name));
  const isSystem = root === 'system';
  const asked = modeOf(words);
  if (isSystem && asked !== undefined && asked !== 'verify-full')
    throw new UsageError(
      'sslrootcert=system trusts the authorities of this system, and needs sslmode=verify-full.',
    );
  const ssl_mode = isSystem ? 'verify-full' : asked;
  return {
    ...(ssl_mode && { ssl_mode }),
    ...(root && !isSystem && { ssl_root_cert_path: root }),
    ...(cert && { ssl_cert_path: cert }),
    ...(key && { ssl_key_path: key }),
  };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new UsageError('The port must be a number from 1 to 65535.');
  return port;
}

/** Judges the values. A socket directory is a host here; whether it can be used is for the caller to say. */
export function partsOf(words: ConnectionWords): ConnectionParts {
  const [host, hostaddr, port] = ['host', 'hostaddr', 'port'].map((name) => words.get(name) || undefined);
  if ([host, hostaddr, port].some((value) => value?.includes(','))) throw new UsageError(SEVERAL);
  const named = host ?? hostaddr;
  const [user, dbname, password] = ['user', 'dbname', 'password'].map((name) => words.get(name) || undefined);
  return {
    ...(named && { host: named }),
    ...(hostaddr && hostaddr !== named && { hostaddr }),
    ...(port && { port: portOf(port) }),
    ...(user && { username: user }),
    ...(dbname && { database: dbname }),
    ...(password && { password }),
    ...tlsOf(words),
  };
}

const isSocket = (host: string) => host.startsWith('/') || host.startsWith('@');

/** The same of a server that is watched: over TCP, always. */
export function tcpPartsOf(words: ConnectionWords): ConnectionParts {
  const parts = partsOf(words);
  if (parts.host !== undefined && isSocket(parts.host))
    throw new UsageError(
      'This names a socket directory. Matriarch connects over TCP: give a host name or an address.',
    );
  return parts;
}

export const NO_HOST = `The URL names no host. Write it as ${FORM}.`;
