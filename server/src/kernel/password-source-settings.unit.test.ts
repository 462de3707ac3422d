// The setting password_sources: what is read, and what stops the start.
import { describe, expect, it } from 'vitest';
import { readPasswordSources } from './password-source-settings.ts';
import { Secret } from './secret.ts';
import { Declarations, readValue } from './setting-values.ts';

const read = (tree: unknown, env: NodeJS.ProcessEnv = {}) =>
  readPasswordSources(new Declarations(new Map(Object.entries({ one: tree }))), env)[0];
const hosts = ['*.example.com'];

describe('password_sources', () => {
  it('are read from YAML, and from JSON in a variable', () => {
    const setting = { key: 'password_sources', type: 'declarations', description: '' } as const;
    const value = readValue(
      setting,
      'X',
      '{"one": {"kind": "file", "path": "/run/p", "hosts": ["10.0.0.0/8"]}}',
    );
    if (!(value instanceof Declarations)) throw new Error('no declarations');
    expect(readPasswordSources(value, {})).toEqual([
      {
        name: 'one',
        kind: 'file',
        path: '/run/p',
        hosts: ['10.0.0.0/8'],
        ports: [],
        usernames: [],
        refresh_seconds: 60,
        min_ssl_mode: 'disable',
      },
    ]);
    expect(String(value)).toBe('one (file)');
    expect(JSON.stringify(value)).not.toContain('/run/p');
    expect(readPasswordSources(undefined, {})).toEqual([]);
  });

  it('take values of the environment once, as secrets, and pass on what is named', () => {
    const env = { PG: 'canary', VAULT_ADDR: 'https://vault', OTHER: 'x' };
    const given = read({ kind: 'environment', variable: 'PG', hosts }, env);
    expect(given?.kind === 'environment' && given.password?.reveal()).toBe('canary');
    const command = ['/bin/vault', '{host}'];
    const ran = read({ kind: 'command', command, hosts, pass_environment: ['VAULT_ADDR', 'GONE'] }, env);
    expect(ran?.kind === 'command' && [...ran.environment]).toEqual([
      ['VAULT_ADDR', new Secret('https://vault')],
    ]);
    expect(JSON.stringify(given)).not.toContain('canary');
  });

  it.each([
    [{ kind: 'file', path: '/p' }, /hosts is missing: name the hosts/],
    [{ kind: 'file', path: 'p', hosts }, /path must be an absolute path/],
    [{ kind: 'file', path: '/p', hosts: ['*'] }, /hosts has the entry "\*"/],
    [{ kind: 'file', path: '/p', hosts: ['10.0.0.0/33'] }, /hosts has the entry/],
    [{ kind: 'file', path: '/p', hosts: ['10.0.0'] }, /hosts has the entry/],
    [{ kind: 'file', path: '/p', hosts, ports: [0] }, /ports must be a list of ports from 1 to 65535/],
    [{ kind: 'file', path: '/p', hosts, ports: '5432' }, /ports must be a list of ports/],
    [{ kind: 'file', pth: '/p', path: '/p', hosts }, /one\.pth is no member.*Did you mean path\?/],
    [{ kind: 'files', path: '/p', hosts }, /kind must be one of file, environment, command, aws_rds_iam/],
    [{ kind: 'environment', variable: 'MATRIARCH_X', hosts }, /must not begin with MATRIARCH_/],
    [{ kind: 'command', command: ['vault'], hosts }, /must begin with the absolute path/],
    [{ kind: 'command', command: ['/v', '--host={host}'], hosts }, /must each be an item of their own/],
    [
      { kind: 'command', command: ['/v'], pass_environment: ['MATRIARCH_ADMIN_PASSWORD'], hosts },
      /must not pass/,
    ],
    [{ kind: 'aws_rds_iam' }, /region is missing/],
    [{ kind: 'aws_rds_iam', region: 'eu-central-1', min_ssl_mode: 'prefer' }, /over TLS alone/],
    [{ kind: 'file', path: '/p', hosts, refresh_seconds: 0 }, /an integer from 1 to 86400/],
    ['text', /must be a group with a kind/],
  ])('%j stops the start', (tree, words) => {
    expect(() => read(tree)).toThrow(words);
  });
});
