// What libpq reads besides the connection's own words, for a server that is named on the command line: PG variables, and the
// password file. Guards: what is given wins; a password file that others may read is not used, as libpq does.
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { Secret } from '../kernel/secret.ts';
import { type ConnectionWords, readWords } from '../kernel/server-address/connection-words.ts';
import { settingsFrom, type UrlSettings } from './connection-url.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLES = [
  ['PGHOST', 'host'],
  ['PGHOSTADDR', 'hostaddr'],
  ['PGPORT', 'port'],
  ['PGDATABASE', 'dbname'],
  ['PGUSER', 'user'],
  ['PGPASSWORD', 'password'],
  ['PGPASSFILE', 'passfile'],
  ['PGSSLMODE', 'sslmode'],
  ['PGSSLROOTCERT', 'sslrootcert'],
  ['PGSSLCERT', 'sslcert'],
  ['PGSSLKEY', 'sslkey'],
] as const;

function completed(given: ConnectionWords, env: Environment): ConnectionWords {
  const words = new Map(given);
  for (const [variable, word] of VARIABLES) {
    const value = env[variable];
    // An address of another host would lead away from the one that is named.
    const leadsAway = word === 'hostaddr' && given.has('host');
    if (value && !words.get(word) && !leadsAway) words.set(word, value);
  }
  return words;
}

const MOST_BYTES = 1024 * 1024;

/** Members of a line of a password file; a backslash keeps a colon or a backslash. */
const membersOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|:)((?:\\.|[^:\\])*)/g)].map(([, member = '']) => member.replaceAll(/\\(.)/g, '$1'));

/** The password of the first line that fits, or undefined. */
export function passwordIn(
  text: string,
  { host, port, database, username }: UrlSettings,
): Secret | undefined {
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const members = membersOf(line);
    const wanted = [host, String(port), database, username];
    if (members.length >= 5 && wanted.every((one, at) => members[at] === '*' || members[at] === one))
      return new Secret(members[4] ?? '');
  }
  return undefined;
}

async function passwordOf(settings: UrlSettings): Promise<{ password?: Secret; warning?: string }> {
  const file = settings.passfile ?? path.join(homedir(), '.pgpass');
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > MOST_BYTES) return {};
  if ((found.mode & 0o077) !== 0)
    return {
      warning: `The password file ${file} may be read by others, so it is not used: chmod 600 ${file}.`,
    };
  const password = passwordIn(await readFile(file, 'utf8').catch(() => ''), settings);
  return password === undefined ? {} : { password };
}

/** What libpq reads and is not read here; PGAPPNAME and the like change nothing that is seen. */
const UNREAD = [
  ...[
    'PGSERVICE',
    'PGSERVICEFILE',
    'PGOPTIONS',
    'PGSSLCRL',
    'PGSSLCRLDIR',
    'PGREQUIREAUTH',
    'PGCHANNELBINDING',
  ],
  ...['PGGSSENCMODE', 'PGSSLNEGOTIATION', 'PGSSLMINPROTOCOLVERSION', 'PGTARGETSESSIONATTRS'],
];

function unreadIn(env: Environment): string[] {
  const names = UNREAD.filter((name) => env[name]);
  return names.length === 0 ? [] : [`Set in the environment and not read: ${names.join(', ')}.`];
}

const leftOutOf = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`Left out, as Matriarch has no use for it: ${names.join(', ')}.`];

/** The settings of a server that is named on the command line, and what was left alone, each as a sentence. */
export async function readNamedServer(
  text: string,
  env: Environment,
): Promise<{ settings: UrlSettings; warnings: readonly string[] }> {
  const { words, left_out } = readWords(text);
  const settings = settingsFrom(completed(words, env));
  const warnings = [...leftOutOf(left_out), ...unreadIn(env)];
  if (settings.password !== undefined) return { settings, warnings };
  const { password, warning } = await passwordOf(settings);
  return {
    settings: { ...settings, password },
    warnings: warning === undefined ? warnings : [...warnings, warning],
  };
}
