import { describe, expect, it } from 'vitest';
import { SSL_MODES as KERNEL_MODES } from '../../kernel/server-address/ssl-mode.ts';
import type { ServerReading } from '../../probes/requirements/reading.queries.ts';
import { SSL_MODES } from './connections.schemas.ts';
import { type Destination, goesElsewhere } from './destination.ts';
import { hostFactsScript, monitoringScript, roleScript } from './monitoring-script.ts';
import { extensionWords, type Rights, rightsWords, versionWords } from './test-words.ts';

it('the contract has the modes that the connector knows', () => {
  expect(SSL_MODES).toEqual(KERNEL_MODES);
});

describe('a destination', () => {
  const stored: Destination = {
    host: 'db1.example.com',
    hostaddr: null,
    port: 5432,
    username: 'monitor',
    ssl_mode: 'require',
    ssl_root_cert_path: null,
  };

  it.each([
    { host: 'DB1.example.com' },
    { ssl_mode: 'require' },
    { ssl_mode: 'verify-full' },
    { ssl_root_cert_path: '/ca.pem' },
  ] as const)('with %j is the same, or better protected', (change) => {
    expect(goesElsewhere(stored, { ...stored, ...change })).toBe(false);
  });

  it.each([
    { host: 'db2.example.com' },
    { host: 'db1.example.com.' },
    { hostaddr: '203.0.113.1' },
    { port: 5433 },
    { username: 'postgres' },
    { username: 'Monitor' },
    { ssl_mode: 'prefer' },
    { ssl_mode: 'disable' },
  ] as const)('with %j is another, or less protected', (change) => {
    expect(goesElsewhere(stored, { ...stored, ...change })).toBe(true);
  });

  it('with another root certificate is another', () => {
    const pinned: Destination = { ...stored, ssl_mode: 'verify-ca', ssl_root_cert_path: '/ca.pem' };
    expect(goesElsewhere(pinned, { ...pinned, ssl_root_cert_path: '/other.pem' })).toBe(true);
    expect(goesElsewhere(pinned, { ...pinned, ssl_root_cert_path: null })).toBe(true);
    const system: Destination = { ...stored, ssl_mode: 'verify-full' };
    expect(goesElsewhere(system, { ...system, ssl_root_cert_path: '/other.pem' })).toBe(true);
  });
});

describe('the monitoring script', () => {
  it('holds no password, and quotes every name for where it stands', () => {
    const role = `o'neil"; drop role x; --$do$\n\\`;
    const script = roleScript({ role, database: 'a"b', databases: ['c', 'a"b'] });
    expect(script).not.toMatch(/password\s+'/i);
    expect(script).toContain('$do1$');
    expect(script).toContain(`grant pg_monitor to "o'neil""; drop role x; --$do$\n\\";`);
    expect(script).toContain(` E'o''neil"; drop role x; --$do$\n\\\\'`);
    expect(script.match(/grant connect on database "a""b"/g)).toHaveLength(1);
  });

  it('keeps optional parts in comments, whatever the names hold', () => {
    const script = monitoringScript({ role: 'a\nb\u2028c', database: 'd\re', server_version_num: 140000 });
    const optional = script.slice(script.indexOf('-- Then give it a password'));
    for (const line of optional.split(/[\n\r\u2028]/)) expect(line).toMatch(/^(--.*)?$/);
    expect(script).not.toContain('pg_ident_file_mappings');
    expect(monitoringScript({ role: 'a', database: 'd' })).toContain('pg_ident_file_mappings');
  });

  it('lets the host function read listed files only', () => {
    expect(hostFactsScript('m')).toMatch(/security definer\nset search_path = pg_catalog, pg_temp/);
    expect(hostFactsScript('m')).toContain('from public');
  });
});

describe('words of a connection test', () => {
  const server = (over: Partial<ServerReading> = {}): ServerReading => ({
    version_num: 180_000,
    database: 'orders',
    role: 'm',
    is_superuser: false,
    inherits: true,
    is_in_recovery: false,
    is_set_uncounted: false,
    roles: new Map([['pg_monitor', 'usage']]),
    extensions: new Map(),
    settings: new Map(),
    ...over,
  });
  const rights: Rights = { connection_limit: -1, closed_databases: [] };
  const on = (reading: ServerReading) => ({ database: 'orders', username: 'm', server: reading });

  it('judge the version', () => {
    const at = (server_version_num: number) =>
      versionWords({ server_version: 'x', server_version_num }).status;
    expect(versionWords({ server_version: '16.4', server_version_num: 0 })).toEqual({
      status: 'failed',
      message: 'The server does not say which version of PostgreSQL it is.',
    });
    expect([130012, 140000, 180004, 190000, 200000].map(at)).toEqual(['failed', 'ok', 'ok', 'ok', 'warning']);
  });

  const member = (how: 'member' | 'none') => ({ roles: new Map([['pg_monitor', how]]) });

  it.each<[Partial<Rights>, Partial<ServerReading>, string, RegExp]>([
    [{}, {}, 'ok', /a primary/],
    [{}, { is_in_recovery: true }, 'ok', /a standby/],
    [{}, { is_superuser: true }, 'warning', /far more than monitoring needs/],
    [{}, member('none'), 'warning', /not a member of pg_monitor.*: run the script\.$/],
    [{}, { ...member('none'), is_in_recovery: true }, 'warning', /run the script on the primary/],
    [{}, member('member'), 'warning', /does not inherit its rights: run: grant pg_monitor to m with inherit/],
    [{ connection_limit: 1 }, {}, 'warning', /only 1 sessions/],
    [{ closed_databases: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, {}, 'warning', /a, b, c, d, e and 2 more/],
  ])('judge rights with %j and %j', (...[over, reading, status, words]) => {
    const verdict = rightsWords({ ...rights, ...over }, on(server(reading)));
    expect(verdict.status).toBe(status);
    expect(verdict.message).toMatch(words);
  });

  const loaded = { value: '5000', source: 'default', is_pending: false };
  const preload = (value: string, is_pending = false) => ({
    value,
    source: 'configuration file',
    is_pending,
  });
  const settings = (libraries: ReturnType<typeof preload>, isLoaded: boolean) =>
    new Map([
      ['shared_preload_libraries', libraries],
      ...(isLoaded ? [['pg_stat_statements.max', loaded] as const] : []),
    ]);
  const created = (installed: string | null, available: string | null = '1.12') =>
    new Map([['pg_stat_statements', { installed, available }]]);

  it.each([
    ['ready', created('1.12'), settings(preload('pg_stat_statements'), true), 'ok', /1\.12/],
    ['old', created('1.9'), settings(preload(''), true), 'warning', /run in orders: alter extension/],
    [
      'not loaded',
      created('1.12'),
      settings(preload('auto_explain'), false),
      'warning',
      /alter system set shared_preload_libraries = 'auto_explain', 'pg_stat_statements';, then restart/,
    ],
    [
      'pending',
      created('1.12'),
      settings(preload('', true), false),
      'warning',
      /waits for a restart: restart/,
    ],
    ['no library', created('1.12'), new Map(), 'warning', /add pg_stat_statements to what/],
    [
      'not created',
      created(null),
      settings(preload(''), true),
      'warning',
      /run in orders: create schema if not exists monitoring; create extension/,
    ],
    [
      'neither',
      created(null),
      settings(preload(''), false),
      'warning',
      /restart this server, then run in orders/,
    ],
    ['absent', created(null, null), settings(preload(''), false), 'warning', /postgresql-contrib/],
    [
      'hostile',
      created('1.12'),
      settings(preload("a', drop\n"), false),
      'warning',
      /: add pg_stat_statements to what shared_preload_libraries already holds/,
    ],
  ] as const)('judge extensions: %s', (...[, extensions, found, status, words]) => {
    const verdict = extensionWords(on(server({ extensions, settings: found })));
    expect(verdict.message).toMatch(words);
    expect(verdict.status).toBe(status);
  });
});
