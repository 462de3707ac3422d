import { describe, expect, it } from 'vitest';
import { SSL_MODES as KERNEL_MODES } from '../../kernel/target/ssl-mode.ts';
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
  const rights: Rights = {
    is_superuser: false,
    is_monitor: true,
    connection_limit: -1,
    is_in_recovery: false,
    closed_databases: [],
  };

  it('judge the version', () => {
    const at = (server_version_num: number) =>
      versionWords({ server_version: 'x', server_version_num }).status;
    expect([130012, 140000, 180004, 190000].map(at)).toEqual(['failed', 'ok', 'ok', 'warning']);
  });

  it.each<[Partial<Rights>, string, RegExp]>([
    [{}, 'ok', /a primary/],
    [{ is_in_recovery: true }, 'ok', /a standby/],
    [{ is_superuser: true }, 'warning', /far more than monitoring needs/],
    [{ is_monitor: false }, 'warning', /pg_monitor/],
    [{ connection_limit: 1 }, 'warning', /only 1 sessions/],
    [{ closed_databases: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, 'warning', /a, b, c, d, e and 2 more/],
  ])('judge rights with %j', (over, status, words) => {
    const verdict = rightsWords({ ...rights, ...over }, 'm');
    expect(verdict.status).toBe(status);
    expect(verdict.message).toMatch(words);
  });

  it.each([
    [{ installed: '1.12', is_available: true, is_preloaded: true }, 'ok', /1\.12/],
    [{ installed: '1.12', is_available: true, is_preloaded: null }, 'ok', /1\.12/],
    [{ installed: '1.12', is_available: true, is_preloaded: false }, 'warning', /restart/],
    [
      { installed: null, is_available: true, is_preloaded: true },
      'warning',
      /run in orders: create extension/,
    ],
    [{ installed: null, is_available: true, is_preloaded: false }, 'warning', /restart, then run in orders/],
    [{ installed: null, is_available: false, is_preloaded: false }, 'warning', /postgresql-contrib/],
  ] as const)('judge extensions %j', (found, status, words) => {
    const verdict = extensionWords(found, 'orders');
    expect(verdict.status).toBe(status);
    expect(verdict.message).toMatch(words);
  });
});
