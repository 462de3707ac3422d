// Reads what people paste: postgres:// URLs and "host=… dbname=…" lines. More forgiving than libpq about characters
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
}
export type ParsedConnection = { fields: ConnectionFields } | { problem: string };

const FIELD_OF_WORD = [
  ['host', 'host'],
  ['port', 'port'],
  ['dbname', 'database_name'],
  ['user', 'username'],
  ['password', 'password'],
  ['sslmode', 'ssl_mode'],
  ['sslrootcert', 'ssl_root_cert_path'],
  ['sslcert', 'ssl_cert_path'],
  ['sslkey', 'ssl_key_path'],
] as const;

/** Whether a text means to be a connection string; used while pasting. */
export function looksLikeConnection(text: string): boolean {
  const trimmed = text.trim();
  if (/^postgres(ql)?:\/\//i.test(trimmed)) return true;
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

function checked(fields: ConnectionFields): ParsedConnection {
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
  const [beforeQuery = '', ...query] = text.replace(/^postgres(ql)?:\/\//i, '').split('?');
  const at = beforeQuery.lastIndexOf('@');
  const credentials = at < 0 ? '' : beforeQuery.slice(0, at);
  const place = beforeQuery.slice(at + 1);
  const colon = credentials.indexOf(':');
  const username = decoded(colon < 0 ? credentials : credentials.slice(0, colon));
  const password = colon < 0 ? '' : decoded(credentials.slice(colon + 1));
  const slash = place.indexOf('/');
  const database = slash < 0 ? '' : decoded(place.slice(slash + 1));
  const hostPort = slash < 0 ? place : place.slice(0, slash);
  if (hostPort.includes(',')) return checked({ host: hostPort });
  const fields: ConnectionFields = {
    ...splitHostPort(hostPort),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(database ? { database_name: database } : {}),
  };
  return checked(withWords(fields, new URLSearchParams(query.join('?'))));
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
  if (/^postgres(ql)?:\/\//i.test(trimmed)) return parseUrl(trimmed);
  if (looksLikeConnection(trimmed)) return parseWords(trimmed);
  return {
    problem: 'This does not look like a connection string; expected postgres://user@host:5432/database.',
  };
}
