import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { loadConfig, splitFlags } from './config.ts';
import { configReference } from './config-reference.ts';
import type { Secret } from './secret.ts';
import { completeSettings, flagOf, KERNEL_SETTINGS, type Setting, variableOf } from './settings.ts';
import type { StoreEngine } from './store-settings.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const PROVIDER: Setting[] = [
  { key: 'llm.default_provider', type: 'text', allowed: ['openai', 'ollama'], description: 'Default.' },
  { key: 'llm.openai.api_key', type: 'secret', description: 'Key.' },
  { key: 'llm.openai.base_url', type: 'url', description: 'Address.' },
  { key: 'llm.openai.model', type: 'text', description: 'Model.' },
  { key: 'llm.ollama.base_url', type: 'url', description: 'Address.' },
  { key: 'llm.ollama.model', type: 'text', description: 'Model.' },
];
const settings = completeSettings([...KERNEL_SETTINGS, ...PROVIDER]);
const load = (argv: string[], env: NodeJS.ProcessEnv = {}) => loadConfig({ settings, argv, env });

describe('precedence', () => {
  it('flag wins over environment, environment over file, file over default', () => {
    const config = file('a.yaml', 'port: 1001\nhost: 10.0.0.1\nlog_level: warn\n');
    const result = load(['start', '--config', config, '--port=1003'], {
      MATRIARCH_PORT: '1002',
      MATRIARCH_HOST: '10.0.0.2',
    });
    expect([result.port, result.host, result.log_level, result.rbac.shared_access]).toEqual([
      1003,
      '10.0.0.2',
      'warn',
      'read_write',
    ]);
    const sources = Object.fromEntries(result.resolved.map(({ setting, source }) => [setting.key, source]));
    expect(sources).toMatchObject({
      port: 'flag',
      host: 'environment',
      log_level: 'file',
      data_dir: 'default',
    });
  });

  it('reads nested keys and providers from the file', () => {
    const config = file(
      'llm.yaml',
      'llm:\n  default_provider: ollama\n  ollama:\n    base_url: http://127.0.0.1:11434\n',
    );
    const { llm } = load(['--config', config]);
    expect(llm.default_provider).toBe('ollama');
    expect(llm.providers.ollama?.base_url).toBe('http://127.0.0.1:11434');
  });

  it('takes names of parameters to mask as a list, and refuses what can be none', () => {
    const names = ['app.licence', 'billing.*', '*_pin'];
    expect(load(['--collector-masked-parameters', names.join(', ')]).collector.masked_parameters).toEqual(
      names,
    );
    expect(load([]).collector.masked_parameters).toEqual([]);
    for (const odd of ['*', 'a(b', "a'b", 'a b'])
      expect(() => load(['--collector-masked-parameters', odd])).toThrow(
        /^--collector-masked-parameters: found ".*", allowed is names of parameters/,
      );
  });

  it('leaves arguments that are no settings to the command line', () => {
    const switched = splitFlags(['start', '--log-requests', '--port', '9', '--log-requests=false'], settings);
    expect([...switched.flags]).toEqual([
      ['--log-requests', 'false'],
      ['--port', '9'],
    ]);
    expect(splitFlags(['--log-requests', 'user'], settings).rest).toEqual(['user']);
    expect(splitFlags(['--log-requests', 'false'], settings).flags.get('--log-requests')).toBe('false');
    expect(splitFlags(['user', 'create', '--port', '9', '--superuser'], settings).rest).toEqual([
      'user',
      'create',
      '--superuser',
    ]);
  });
});

it('has each setting where its key says, with the default that it declares and no other', () => {
  const config = load([]);
  const at = (key: string) => key.split('.').reduce<unknown>((level, name) => Object(level)[name], config);
  const plain = KERNEL_SETTINGS.filter(({ type }) => !['path', 'declarations', 'list'].includes(type));
  expect(plain.length).toBeGreaterThan(20);
  expect(plain.map(({ key }) => [key, at(key)])).toEqual(
    plain.map((setting) => [setting.key, 'default' in setting ? setting.default : undefined]),
  );
  const { roles, api } = config;
  expect([roles, api.trusted_proxies]).toEqual([['api', 'collector', 'alerter'], []]);
});

it('gives each setting the type that it declares', () => {
  const { port, roles, api, rbac, auth, store, connections, datastore_url } = load([]);
  expectTypeOf(port).toEqualTypeOf<number>();
  expectTypeOf(roles).toEqualTypeOf<readonly ('api' | 'collector' | 'alerter')[]>();
  expectTypeOf(api.requests_per_minute).toEqualTypeOf<number | undefined>();
  expectTypeOf(rbac.shared_access).toEqualTypeOf<'read' | 'read_write'>();
  expectTypeOf(auth.max_token_lifetime).toEqualTypeOf<string | undefined>();
  expectTypeOf(store.engine).toEqualTypeOf<StoreEngine>();
  expectTypeOf(connections.allow_private_networks).toEqualTypeOf<boolean>();
  expectTypeOf(datastore_url).toEqualTypeOf<Secret | undefined>();
});

it('reads a lifetime in its units, and none as no limit', () => {
  const longest = (env: NodeJS.ProcessEnv) => load(['start'], env).auth.max_token_ms;
  expect(longest({})).toBeUndefined();
  expect(longest({ MATRIARCH_AUTH_MAX_TOKEN_LIFETIME: '90d' })).toBe(90 * 86_400_000);
  for (const text of ['90', '11y', '0d', 'never'])
    expect(() => longest({ MATRIARCH_AUTH_MAX_TOKEN_LIFETIME: text })).toThrow(
      /allowed is a lifetime such as/,
    );
});

describe('mistakes stop the start with key, found and allowed', () => {
  it.each([
    [['--port', '99999'], /--port: found "99999", allowed is an integer from 0 to 65535/],
    [['--port', '80.5'], /--port: found "80.5"/],
    [['--roles', 'api,juggler'], /--roles: found "juggler", allowed is api, collector/],
    [['--log-level', 'loud'], /--log-level: found "loud", allowed is trace/],
    [['--datastore-url', 'mysql://x'], /datastore_url/],
    [['--llm-openai-base-url', 'ftp://x'], /http:\/\/ or https:\/\//],
    [['--port'], /--port needs a value/],
  ])('%j', (argv, message) => {
    expect(() => load(argv)).toThrow(message);
  });

  it('an unknown key in the file, with a suggestion', () => {
    const config = file('typo.yaml', 'prot: 80\n');
    expect(() => load(['--config', config])).toThrow(/prot: no such setting.*Did you mean port\?/);
  });

  it('an unknown variable, with a suggestion', () => {
    expect(() => load([], { MATRIARCH_PROT: '80' })).toThrow(/MATRIARCH_PROT.*Did you mean MATRIARCH_PORT\?/);
  });

  it('a file that is not YAML, or is not there', () => {
    expect(() => load(['--config', file('bad.yaml', 'a: [')])).toThrow(/not valid YAML/);
    expect(() => load(['--config', join(folder, 'none.yaml')])).toThrow(
      /none\.yaml does not exist: check the path/,
    );
  });

  it('half of an administrator', () => {
    expect(() => load([], { MATRIARCH_ADMIN_USERNAME: 'root' })).toThrow(/go together/);
  });
});

describe('secrets', () => {
  it('come from a file without its line end, and never print', () => {
    const path = file('key', 'canary-secret-1\n');
    const config = load(['--llm-openai-api-key-file', path], {
      MATRIARCH_DATASTORE_URL: 'postgres://u:canary-secret-2@h/d',
    });
    expect(config.llm.providers.openai?.api_key?.reveal()).toBe('canary-secret-1');
    expect(`${JSON.stringify(config)}${inspect(config, { depth: 9 })}`).not.toContain('canary-secret');
  });

  it('have no flag of their own, except the datastore URL', () => {
    expect(splitFlags(['--admin-password', 'x'], settings).flags.size).toBe(0);
    expect(splitFlags(['--datastore-url', 'x'], settings).flags.size).toBe(1);
  });

  it('given twice are refused', () => {
    const path = file('twice', 'a');
    expect(() => load(['--admin-password-file', path], { MATRIARCH_ADMIN_PASSWORD: 'b' })).toThrow(
      /both set/,
    );
  });
});

it('the reference names every setting, flag and variable', () => {
  const page = configReference(settings);
  for (const { key } of settings) expect(page).toContain(`\`${variableOf(key)}\``);
  expect(page).toContain(flagOf('data_dir'));
});
