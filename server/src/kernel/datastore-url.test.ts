// The datastore's URL in every form that people write it in, against real servers with and without TLS: what the words mean is what they
// mean elsewhere, and nothing in them replaces what sessions set for themselves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { poolerProblem } from '../datastore/pooler.ts';
import { type ServerName, TlsServers } from '../testing/servers/tls-servers.ts';
import { datastoreProblem } from './datastore-problem.ts';
import { demandDatastoreUrl } from './datastore-url.ts';
import { Secret } from './secret.ts';
import { withSession } from './session.ts';

const servers = new TlsServers();
beforeAll(() => servers.start(['good', 'no TLS', 'self-signed']));
afterAll(() => servers.stop());

interface Seen {
  ssl: boolean;
  search_path: string;
  name: string;
}

const seen = (text: string): Promise<Seen | undefined> =>
  withSession({ url: new Secret(text), applicationName: 'matriarch test' }, async (client) => {
    const { rows } = await client.query<Seen>(`select ssl, current_setting('search_path') as search_path,
      current_setting('application_name') as name from pg_stat_ssl where pid = pg_backend_pid()`);
    return rows[0];
  });

/** Words of the keyword form for one of the servers. */
function words(name: ServerName, more = ''): string {
  const { host, port, username, password, database } = servers.settingsOf(name, {});
  return `host=${host} port=${port} user=${username} password=${password?.reveal() ?? ''} dbname=${database} ${more}`;
}

const outcome = (text: string): Promise<string> =>
  seen(text).then(
    (found) => (found?.ssl ? 'tls' : 'plain'),
    (error: unknown) => datastoreProblem(error) ?? String(error),
  );

it("is taken in libpq's keyword form, and leaves our sessions their settings", async () => {
  const text = words('good', 'application_name=theirs pgbouncer=true');
  expect(await seen(text)).toEqual({
    ssl: false,
    search_path: 'matriarch,metrics,public',
    name: 'matriarch test',
  });
  expect(await poolerProblem(new Secret(text))).toBeUndefined();
});

describe('TLS', () => {
  const root = () => `sslrootcert=${servers.rootOf('good')}`;
  it.each<{ server: ServerName; said: () => string; expected: string | RegExp }>([
    { server: 'good', said: () => 'sslmode=require', expected: 'tls' },
    { server: 'self-signed', said: () => 'sslmode=require', expected: 'tls' },
    { server: 'no TLS', said: () => 'sslmode=require', expected: /does not offer TLS.*sslmode=disable/ },
    { server: 'good', said: () => 'sslmode=prefer', expected: 'tls' },
    { server: 'good', said: () => 'ssl=true', expected: 'tls' },
    { server: 'good', said: () => 'sslmode=disable', expected: 'plain' },
    { server: 'good', said: () => 'sslmode=verify-full', expected: /not trusted.*sslrootcert/ },
    { server: 'self-signed', said: () => 'sslrootcert=system', expected: /not trusted.*sslrootcert/ },
    { server: 'good', said: () => `sslmode=verify-full ${root()}`, expected: 'tls' },
    { server: 'self-signed', said: () => `sslmode=require ${root()}`, expected: /not trusted/ },
  ])('$said, $server', async ({ server, said, expected }) => {
    expect(await outcome(words(server, said()))).toMatch(expected);
  });
});

it.each([
  ['postgres://u:secret@h/d?options=-csearch_path%3Dx', /^datastore_url: options sets parameters/],
  ['postgres://u:secret@a,b/d', /several hosts/],
  ['host=a,b user=u', /several hosts/],
  ['service=prod', /service names an entry/],
  ['postgres://u:secret@h/d?sslmode=require&sslrootcert=system', /needs sslmode=verify-full/],
  ['postgres://u:secret@h/d?frobnicate=1', /parameter frobnicate/],
  ['postgres:///d', /names no host/],
  ['mysql://u:secret@h/d', /MySQL/],
])('%s is refused before anything is dialled', (text, sentence) => {
  expect(() => demandDatastoreUrl('datastore_url', new Secret(text))).toThrow(sentence);
  expect(() => demandDatastoreUrl('datastore_url', new Secret(text))).not.toThrow(/secret/);
});

it.each([
  'postgres:///d?host=/run/postgresql',
  'host=/run/postgresql dbname=d',
  'postgres://u@h/d?pgbouncer=true',
])('%s is taken', (text) =>
  expect(() => demandDatastoreUrl('datastore_url', new Secret(text))).not.toThrow(),
);
