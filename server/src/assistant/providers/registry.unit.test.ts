import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../kernel/errors.ts';
import { Secret } from '../../kernel/secret.ts';
import { providers as catalog } from './catalog.gen.ts';
import { createProviders } from './registry.ts';
import { configuredSettings } from './support/configuration.ts';
import type { LlmConfig } from './types.ts';

const key = new Secret('sk-canary-9a8b');
const everyName = catalog.map(({ name }) => name).join(', ');
const names = (config: LlmConfig) => createProviders(config).configured.map(({ name }) => name);

describe('createProviders', () => {
  it('binds what is configured, the first of the catalog being the default', () => {
    const config = { providers: { openai: { api_key: key }, anthropic: { api_key: key }, ollama: {} } };
    expect(names(config)).toEqual(['anthropic', 'openai']);
  });

  it('puts the named default first', () => {
    const providers = { anthropic: { api_key: key }, ollama: { base_url: 'http://localhost:11434' } };
    expect(names({ default_provider: 'ollama', providers })).toEqual(['ollama', 'anthropic']);
  });

  it('has no default when nothing is configured', () => {
    const providers = createProviders({ providers: { openai: { model: 'gpt-5.1' }, gemini: {} } });
    expect(providers.configured).toEqual([]);
    expect(providers.default).toBeUndefined();
  });

  it('needs no key for a compatible server', () => {
    expect(names({ providers: { openai: { base_url: 'http://localhost:8000/v1' } } })).toEqual(['openai']);
  });

  it('takes an empty key for none', () => {
    expect(names({ providers: { anthropic: { api_key: new Secret('') } } })).toEqual([]);
  });

  it.each<[name: string, config: LlmConfig, sentence: string]>([
    [
      'a default that is no provider',
      { default_provider: 'openia', providers: {} },
      `llm.default_provider: found "openia", allowed are ${everyName}.`,
    ],
    [
      'a default that is not configured',
      { default_provider: 'openai', providers: { openai: { model: 'gpt-5.1' } } },
      'llm.default_provider: openai is not configured; set llm.openai.api_key or llm.openai.base_url.',
    ],
    [
      'settings of no provider',
      { providers: { mistral: { api_key: key } } },
      `llm.mistral: no such provider; allowed are ${everyName}.`,
    ],
    [
      'an address that is not of the web',
      { providers: { ollama: { base_url: 'file:///etc/passwd' } } },
      'llm.ollama.base_url: expected an http:// or https:// address without query or fragment.',
    ],
    [
      'an address with a password',
      { providers: { ollama: { base_url: 'http://me:hidden@localhost' } } },
      'llm.ollama.base_url: a user or password in the address is not supported; use the api_key.',
    ],
    [
      'a metadata address',
      { providers: { openai: { base_url: 'http://169.254.169.254/v1' } } },
      'llm.openai.base_url: 169.254.169.254 is a link-local or unusable address and is never called.',
    ],
    [
      'a metadata address in IPv6 dress',
      { providers: { openai: { base_url: 'http://[::ffff:169.254.169.254]/v1' } } },
      'llm.openai.base_url: [::ffff:a9fe:a9fe] is a link-local or unusable address and is never called.',
    ],
    [
      'a model that climbs a path',
      { providers: { gemini: { api_key: key, model: '../../x' } } },
      'llm.gemini.model: found "../../x", allowed are 1 to 256 letters, digits and -.:/_ without "..".',
    ],
  ])('refuses %s', (_name, config, sentence) => {
    expect(() => createProviders(config)).toThrow(new UsageError(sentence));
  });

  it('refuses a key that cannot be sent, without showing it', () => {
    const broken = { providers: { anthropic: { api_key: new Secret('sk-canary\n9a8b') } } };
    try {
      createProviders(broken);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      expect(inspect(error)).not.toContain('canary');
    }
  });

  it('prints without keys', () => {
    const providers = createProviders({ providers: { anthropic: { api_key: key } } });
    expect(inspect(providers, { depth: 9, showHidden: true }) + JSON.stringify(providers)).not.toContain(
      'canary',
    );
  });
});

describe('configuredSettings', () => {
  it.each([
    ['anthropic', 'http://127.0.0.1:9', 'http://127.0.0.1:9/v1'],
    ['anthropic', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/v1'],
    ['openai', 'https://router.example/api/v1/', 'https://router.example/api/v1'],
    ['gemini', 'http://127.0.0.1:9', 'http://127.0.0.1:9/v1beta'],
    ['ollama', 'http://127.0.0.1:11434/', 'http://127.0.0.1:11434'],
  ])('completes the address of %s: %s', (name, base_url, expected) => {
    const spec = catalog.find((provider) => provider.name === name);
    if (!spec) throw new Error(name);
    const settings = configuredSettings(spec, { providers: { [name]: { base_url, api_key: key } } });
    expect(settings?.base_url).toBe(expected);
  });

  it.each(catalog.map((spec) => [spec.name, spec] as const))('%s has a settings schema', (_name, spec) => {
    expect(spec.config_schema).toMatchObject({
      type: 'object',
      properties: { api_key: { type: 'string' }, base_url: { format: 'uri' }, model: { type: 'string' } },
    });
  });
});
