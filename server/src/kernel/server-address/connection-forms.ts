// The forms in which people write a server down, taken apart into names and values: postgres:// URLs as libpq reads them, those of
// SQLAlchemy and JDBC, libpq's keyword form, and all of these as they are copied from a terminal or an env file. Pure, and shared with
// the web page. Guards: a text that can be read as two servers is refused, and no part that may be a secret stands in a message.
import { UsageError } from '../errors.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

export const FORM = 'postgres://user@host:5432/database?sslmode=verify-full';

/** postgres://, postgresql+driver:// and jdbc:postgresql: in its long and short forms. */
const POSTGRES = /^(?:jdbc:postgres(?:ql)?:(?:\/\/|(?!\/))|postgres(?:ql)?(?:\+\w+)?:\/\/)/i;
const ADDRESS = /^(?:jdbc:[\w+.-]+|[a-z][\w+.-]*):\/\/|^jdbc:/i;
const KEYWORDS = /^\s*[A-Za-z_]+\s*=/;
/** `Host=db;Port=5432;…`, as drivers of .NET have it. */
const SEMICOLONS = /^\s*[A-Za-z_][A-Za-z_ ]*=[^;'\s]*;\s*[A-Za-z_][A-Za-z_ ]*=/;
/** What a copied command or line of an env file has before the URL. */
const COPIED =
  /^(?:(?:export\s+)?[A-Z][A-Z0-9_]*=(?=["']?(?:jdbc:)?postgres)|psql\s+(?:-d\s+|--dbname[= ])?)/;

const OTHERS = [
  [/^(jdbc:)?(mysql|mariadb)/i, 'MySQL or MariaDB'],
  [/^(jdbc:)?(sqlserver|mssql|jtds)/i, 'SQL Server'],
  [/^(jdbc:)?oracle/i, 'Oracle Database'],
  [/^mongodb/i, 'MongoDB'],
  [/^(jdbc:)?(sqlite|file)/i, 'a file'],
  [/^rediss?:/i, 'Redis'],
  [/^https?:/i, 'a web page'],
] as const;

/** The text without what was copied along with it. */
function bare(text: string): string {
  const rest = text.trim().replace(COPIED, '');
  const quoted = /^(["'])(.*)\1$/s.exec(rest);
  return quoted?.[2]?.trim() ?? rest;
}

/** Whether a text means to be a connection string, of whatever kind; no host or address does. */
export function looksLikeConnection(text: string): boolean {
  const rest = bare(text);
  return [POSTGRES, ADDRESS, KEYWORDS, SEMICOLONS].some((form) => form.test(rest));
}

/** As it stands where it was not encoded: passwords are pasted as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isEncoded = (text: string): boolean => !/%(?![0-9a-f]{2})|#/i.test(text);

interface Address {
  credentials: string;
  host: string;
  database: string;
}

/** Where the host begins: libpq takes the first part before a slash; a password that was not encoded may hold both signs. */
function addressOf(text: string): Address {
  const slash = text.indexOf('/');
  const [authority, path] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
  const isLaterAt = path.includes('@');
  if (isLaterAt && authority.includes('@') && isEncoded(text))
    throw new UsageError(
      'The URL can be read in two ways. Write @ as %40 and / as %2F where they belong to the password or the database.',
    );
  const end = isLaterAt ? text.lastIndexOf('@') : authority.lastIndexOf('@');
  const rest = text.slice(end + 1);
  const next = rest.indexOf('/');
  return {
    credentials: text.slice(0, Math.max(0, end)),
    host: next < 0 ? rest : rest.slice(0, next),
    database: next < 0 ? '' : rest.slice(next + 1),
  };
}

function hostPairs(text: string): Pairs {
  // Several hosts have several ports, and are one list here.
  if (text.includes(',')) return [['host', text]];
  const found = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text);
  if (!found) throw new UsageError(`The host and port in the URL cannot be told apart. Write it as ${FORM}.`);
  return [
    ['host', decoded(found[1] ?? '').replace(/^\[|\]$/g, '')],
    ['port', found[2] ?? ''],
  ];
}

function parameterPairs(text: string, isJdbc: boolean): Pairs {
  if (text === '') return [];
  return text.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    return [decoded(name), decoded(isJdbc ? value.replaceAll('+', ' ') : value)];
  });
}

function urlPairs(text: string): Pairs {
  const isJdbc = /^jdbc:/i.test(text);
  const rest = text.replace(POSTGRES, '');
  // JDBC's short form names the database alone.
  const whole = isJdbc && !/^jdbc:\w+:\/\//i.test(text) ? `/${rest}` : rest;
  const mark = whole.indexOf('?');
  const { credentials, host, database } = addressOf(mark < 0 ? whole : whole.slice(0, mark));
  const parameters = parameterPairs(mark < 0 ? '' : whole.slice(mark + 1), isJdbc);
  const colon = credentials.indexOf(':');
  const own: Pairs = [
    ['user', decoded(colon < 0 ? credentials : credentials.slice(0, colon))],
    ['password', colon < 0 ? '' : decoded(credentials.slice(colon + 1))],
    ...hostPairs(host),
    ['dbname', decoded(database)],
  ];
  const names = new Map(parameters.map(([name, value]) => [name.toLowerCase(), value]));
  // JDBC's driver verifies the server when it is only asked for TLS.
  const isTlsOnly = isJdbc && names.get('ssl') === 'true' && !names.has('sslmode');
  return [
    ...own.filter(([, value]) => value !== ''),
    ...parameters,
    ...(isTlsOnly ? [['sslmode', 'verify-full'] as const] : []),
  ];
}

const PAIR = /\s*([A-Za-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/sy;

function keywordPairs(text: string): Pairs {
  if (SEMICOLONS.test(text))
    throw new UsageError(
      'This is the form of .NET, with semicolons. Write it as host=… port=… dbname=… user=… password=…, with spaces between.',
    );
  const pairs: [string, string][] = [];
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const found = PAIR.exec(text);
    if (!found)
      throw new UsageError(
        "The words of the connection cannot be told apart. Write them as host=… user='…' dbname=….",
      );
    pairs.push([found[1] ?? '', (found[2] ?? found[3] ?? '').replaceAll(/\\(.)/gs, '$1')]);
  }
  return pairs;
}

function otherKind(text: string): string {
  const kind = OTHERS.find(([pattern]) => pattern.test(text))?.[1];
  return kind === undefined
    ? `This is no postgres:// URL. Write it as ${FORM}.`
    : `This is the address of ${kind}, and no postgres:// URL. Matriarch watches PostgreSQL servers. Write it as ${FORM}.`;
}

/** Names and values in the order in which they stand; the later of two that say the same counts, as with libpq. */
export function pairsOf(text: string): Pairs {
  const rest = bare(text);
  if (POSTGRES.test(rest)) return urlPairs(rest);
  if (ADDRESS.test(rest) || !looksLikeConnection(rest)) throw new UsageError(otherKind(rest));
  return keywordPairs(rest);
}
