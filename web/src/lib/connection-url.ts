// Reads what people paste: postgres:// URLs, those of JDBC and SQLAlchemy, and "host=… dbname=…" lines; addresses of
// anything else are answered in words. More forgiving than libpq about characters
// that should have been escaped, because passwords are pasted as they are. Nothing is ever sent from here.

export interface ConnectionFields {
  host?: string;
  port?: number;
  database_name?: string;
  username?: string;
  password?: string;
  ssl_mode?: string;
  ssl_root_cert_path?: string;
  ssl_cert_path?: string;
  ssl_key_path?: string;
  /** libpq's, which the form does not have. */
  hostaddr?: string;
}
export type ParsedConnection = { fields: ConnectionFields } | { problem: string };

const FIELD_OF_WORD = [
  ['host', 'host'],
  ['hostaddr', 'hostaddr'],
  ['port', 'port'],
  ['dbname', 'database_name'],
  ['user', 'username'],
  ['password', 'password'],
  ['sslmode', 'ssl_mode'],
  ['sslrootcert', 'ssl_root_cert_path'],
  ['sslcert', 'ssl_cert_path'],
  ['sslkey', 'ssl_key_path'],
] as const;

/** postgres://, postgresql+driver:// and jdbc:postgresql: in its long and short forms. */
const POSTGRES = /^(?:jdbc:postgres(?:ql)?:(?:\/\/|(?!\/))|postgres(?:ql)?(?:\+\w+)?:\/\/)/i;
const ADDRESS = /^(?:jdbc:[\w+.-]+|[a-z][\w+.-]*):\/\/|^jdbc:/i;

/** Whether a text means to be a connection string, of whatever kind; used while pasting. */
export function looksLikeConnection(text: string): boolean {
  const trimmed = text.trim();
  if (POSTGRES.test(trimmed) || ADDRESS.test(trimmed)) return true;
  const words = [...trimmed.matchAll(/(?:^|\s)(\w+)\s*=/g)].map((found) => found[1]);
  return words.filter((word) => FIELD_OF_WORD.some(([known]) => known === word)).length >= 2;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withWords(fields: ConnectionFields, words: Iterable<[string, string]>): ConnectionFields {
  const result = { ...fields };
  for (const [word, value] of words) {
    const field = FIELD_OF_WORD.find(([known]) => known === word.toLowerCase())?.[1];
    if (field === undefined || value === '') continue;
    if (field === 'port') result.port = Number(value);
    else result[field] = value;
  }
  return result;
}

const OTHERS = [
  [/^(jdbc:)?(mysql|mariadb)/i, 'MySQL or MariaDB'],
  [/^(jdbc:)?(sqlserver|mssql|jtds)/i, 'SQL Server'],
  [/^(jdbc:)?oracle/i, 'Oracle Database'],
  [/^mongodb/i, 'MongoDB'],
  [/^(jdbc:)?(sqlite|file)/i, 'a file'],
  [/^rediss?:/i, 'Redis'],
  [/^https?:/i, 'a web page'],
] as const;

const EXPECTED = 'expected postgres://user@host:5432/database';

function otherKind(text: string): string {
  const kind = OTHERS.find(([pattern]) => pattern.test(text))?.[1];
  if (kind === undefined) return `This does not look like an address of PostgreSQL; ${EXPECTED}.`;
  return `This is the address of ${kind}. Matriarch watches PostgreSQL servers; ${EXPECTED}.`;
}

/** An address in place of the name's own is not left out silently: the password would go elsewhere. */
function withHostaddr({ hostaddr, ...fields }: ConnectionFields): ParsedConnection {
  if (hostaddr === undefined || hostaddr === fields.host) return { fields };
  if (fields.host === undefined) return { fields: { ...fields, host: hostaddr } };
  return { problem: 'This names a host and another address for it (hostaddr). Keep the one to connect to.' };
}

function checked(given: ConnectionFields): ParsedConnection {
  const parsed = withHostaddr(given);
  if ('problem' in parsed) return parsed;
  const { fields } = parsed;
  if (fields.host?.includes(',')) {
    return { problem: 'This names several hosts. Add each server as a connection of its own.' };
  }
  if (fields.host?.startsWith('/')) {
    return {
      problem: 'This names a socket directory. Matriarch connects over TCP: give a host name or address.',
    };
  }
  const { port } = fields;
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65535)) {
    return { problem: 'The port has to be a number from 1 to 65535.' };
  }
  return { fields };
}

function splitHostPort(text: string): ConnectionFields {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text);
  if (!found) return { host: text };
  const host = decoded((found[1] ?? '').replace(/^\[|\]$/g, ''));
  return { ...(host ? { host } : {}), ...(found[2] ? { port: Number(found[2]) } : {}) };
}

function parseUrl(text: string): ParsedConnection {
  const isJdbc = /^jdbc:/i.test(text);
  const rest = text.replace(POSTGRES, '');
  // JDBC's short form names the database alone.
  const [beforeQuery = '', ...query] = (isJdbc && !/^jdbc:\w+:\/\//i.test(text) ? `/${rest}` : rest).split(
    '?',
  );
  const at = beforeQuery.lastIndexOf('@');
  const credentials = at < 0 ? '' : beforeQuery.slice(0, at);
  const address = beforeQuery.slice(at + 1);
  const colon = credentials.indexOf(':');
  const username = decoded(colon < 0 ? credentials : credentials.slice(0, colon));
  const password = colon < 0 ? '' : decoded(credentials.slice(colon + 1));
  const slash = address.indexOf('/');
  const database = slash < 0 ? '' : decoded(address.slice(slash + 1));
  const hostPort = slash < 0 ? address : address.slice(0, slash);
  if (hostPort.includes(',')) return checked({ host: hostPort });
  const fields: ConnectionFields = {
    ...splitHostPort(hostPort),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(database ? { database_name: database } : {}),
  };
  const words = new URLSearchParams(query.join('?'));
  // JDBC's driver verifies the server when it is only told to use TLS.
  const isTlsOnly = isJdbc && words.get('ssl') === 'true' && !words.has('sslmode');
  return checked(withWords({ ...fields, ...(isTlsOnly && { ssl_mode: 'verify-full' }) }, words));
}

function parseWords(text: string): ParsedConnection {
  const words: [string, string][] = [];
  for (const found of text.matchAll(/(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))/g)) {
    words.push([found[1] ?? '', found[2]?.replaceAll(/\\(.)/g, '$1') ?? found[3] ?? '']);
  }
  return checked(withWords({}, words));
}

/** Takes a connection string apart; a problem is a sentence for the person who pasted it. */
export function parseConnection(text: string): ParsedConnection {
  const trimmed = text.trim();
  if (POSTGRES.test(trimmed)) return parseUrl(trimmed);
  if (ADDRESS.test(trimmed)) return { problem: otherKind(trimmed) };
  if (looksLikeConnection(trimmed)) return parseWords(trimmed);
  return { problem: `This does not look like a connection string; ${EXPECTED}.` };
}
