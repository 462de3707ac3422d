// Which destinations a source is for.
import { describe, expect, it } from 'vitest';
import { readPasswordSources } from '../../../kernel/password-source-settings.ts';
import { Declarations } from '../../../kernel/setting-values.ts';
import { refusedDestination } from './destination-rules.ts';

const source = (tree: object) => {
  const [one] = readPasswordSources(new Declarations(new Map([['one', tree]])), {});
  if (!one) throw new Error('no source');
  return one;
};
const file = (over: object = {}) =>
  source({
    kind: 'file',
    path: '/p',
    hosts: ['*.example.com', 'db.internal', '10.1.0.0/16', 'fd12::/16'],
    ...over,
  });
const to = (over: object = {}) => ({
  host: 'db1.example.com',
  hostaddr: null,
  port: 5432,
  username: 'monitor',
  database_name: 'postgres',
  ssl_mode: 'prefer' as const,
  ...over,
});

describe('a source', () => {
  it.each([
    [{}, ['203.0.113.9']],
    [{ host: 'DB1.Example.com.' }, []],
    [{ host: 'db.internal' }, []],
    [{ host: 'other' }, ['10.1.2.3', 'fd12::5']],
    [{ host: '10.1.2.3' }, ['10.1.2.3']],
    [{ hostaddr: '10.1.2.3' }, ['10.1.2.3']],
  ])('is for %j at %j', (over, addresses) => {
    expect(refusedDestination(file(), to(over), addresses)).toBeUndefined();
  });

  it.each([
    [{ host: 'example.com' }, ['203.0.113.9']],
    [{ host: 'badexample.com' }, []],
    [{ host: 'db1.example.com.evil.net' }, []],
    [{ host: 'other' }, []],
    [{ host: 'other' }, ['10.1.2.3', '203.0.113.9']],
    // The name says nothing of where hostaddr leads.
    [{ hostaddr: '203.0.113.9' }, ['203.0.113.9']],
  ])('is not for %j at %j', (over, addresses) => {
    expect(refusedDestination(file(), to(over), addresses)).toMatch(
      /^The password source one is not for .*\. It is for: /,
    );
  });

  it('may be for some roles and for protected connections alone', () => {
    expect(refusedDestination(file({ usernames: ['other'] }), to(), [])).toMatch(
      /no password for the role monitor/,
    );
    expect(refusedDestination(file({ min_ssl_mode: 'verify-full' }), to(), [])).toMatch(
      /needs ssl_mode verify-full/,
    );
  });

  it('may be for some ports alone, whether its hosts are names or networks', () => {
    const some = file({ ports: [5432, 6432] });
    expect(refusedDestination(some, to(), [])).toBeUndefined();
    expect(refusedDestination(some, to({ port: 6432, host: '10.1.2.3' }), ['10.1.2.3'])).toBeUndefined();
    for (const over of [{ port: 5433 }, { port: 5433, host: '10.1.2.3' }])
      expect(refusedDestination(some, to(over), ['10.1.2.3'])).toBe(
        'The password source one is not for port 5433. It is for: 5432, 6432.',
      );
    expect(refusedDestination(file(), to({ port: 5433 }), [])).toBeUndefined();
  });

  it('that signs for RDS needs TLS, and no hostaddr that could lead the token elsewhere', () => {
    const rds = source({ kind: 'aws_rds_iam', region: 'eu-central-1' });
    expect(refusedDestination(rds, to(), [])).toMatch(/needs ssl_mode require or stricter.*TLS alone/);
    expect(refusedDestination(rds, to({ ssl_mode: 'require' }), [])).toBeUndefined();
    expect(refusedDestination(rds, to({ ssl_mode: 'require', hostaddr: '10.1.2.3' }), [])).toMatch(
      /Remove hostaddr/,
    );
  });
});
