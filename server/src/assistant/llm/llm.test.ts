// The public reads through HTTP, with providers that speak their real formats on loopback.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import type { TestApi } from '../../testing/api.ts';
import { type LlmMock, PROVIDERS_OWN_TEXT, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { createProviders, type Providers } from '../providers/registry.ts';
import type { LlmConfig } from '../providers/types.ts';
import { createLlm, type Llm } from './llm.service.ts';

const CANARY = 'sk-canary-1c2d';
const PROVIDERS = '/api/v1/llm/providers';
const MODELS = '/api/v1/llm/models';
const HEALTH = '/api/v1/llm/health';

let mock: LlmMock;
let test: TestApi;
let lines: string[];
let clock: ReturnType<typeof manualClock>;
let current: Llm;
const providers: Providers[] = [];

/** One API for the file; what stands behind it is made anew for each test. */
const behind: Llm = {
  admit: (address) => current.admit(address),
  listLlmProviders: () => current.listLlmProviders(),
  listLlmModels: (query) => current.listLlmModels(query),
  getLlmHealth: () => current.getLlmHealth(),
  contextOf: (provider, model) => current.contextOf(provider, model),
};

beforeAll(async () => {
  mock = await startLlmMock({ key: CANARY });
  test = await startWholeApi({ services: { llm: behind } });
});
beforeEach(() => {
  mock.reset();
  configure(twoProviders());
});
afterEach(async () => {
  for (const one of providers.splice(0)) await one.stop();
});
afterAll(async () => {
  await test.close();
  await mock.stop();
});

const twoProviders = (): LlmConfig => ({
  default_provider: 'ollama',
  providers: {
    anthropic: { api_key: new Secret(CANARY), base_url: mock.baseUrl('anthropic'), model: 'claude-x' },
    ollama: { base_url: mock.baseUrl('ollama') },
    openai: { model: 'gpt-without-key' },
  },
});

function configure(config: LlmConfig, timeout_ms = 5000): void {
  lines = [];
  clock = manualClock(0);
  const log = createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } });
  const bound = createProviders(config, { list_timeout_ms: timeout_ms });
  providers.push(bound);
  current = createLlm({ providers: bound, clock, log, ping_timeout_ms: timeout_ms });
}

/** Nothing secret and nothing a provider said leaves, whatever was asked. */
async function get(path: string) {
  const answer = await test.call(`GET ${path}`);
  for (const text of [answer.text, JSON.stringify(answer.headers), ...lines]) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(PROVIDERS_OWN_TEXT);
    expect(text).not.toContain('127.0.0.1:');
  }
  return answer;
}

describe('listLlmProviders', () => {
  it('lists what is configured, the default first, with the classic names', async () => {
    const { status, body } = await get(PROVIDERS);
    expect(status).toBe(200);
    expect(body).toEqual({
      providers: [
        {
          name: 'ollama',
          display_name: 'Ollama',
          display: 'Ollama',
          model: 'llama3.3',
          default: true,
          isDefault: true,
        },
        {
          name: 'anthropic',
          display_name: 'Anthropic',
          display: 'Anthropic',
          model: 'claude-x',
          default: false,
          isDefault: false,
        },
      ],
      default_provider: 'ollama',
      defaultModel: 'llama3.3',
    });
  });

  it('is empty without any', async () => {
    configure({ providers: {} });
    const { status, body } = await get(PROVIDERS);
    expect([status, body]).toEqual([200, { providers: [], defaultModel: '' }]);
  });

  it('uses no statement of the datastore', async () => {
    test.statements.reset();
    await get(PROVIDERS);
    expect(test.statements.sent).toEqual([]);
  });
});

describe('listLlmModels', () => {
  it('lists ids, or models with a name and a description', async () => {
    const plain = await get(`${MODELS}?provider=anthropic`);
    expect([plain.status, plain.body]).toEqual([200, { models: ['claude-sonnet-5', 'claude-text-only'] }]);
    const full = await get(`${MODELS}?provider=anthropic&metadata=true`);
    expect(full.body).toEqual({
      models: [
        {
          id: 'claude-sonnet-5',
          name: 'Claude Sonnet 5',
          description: 'Claude Sonnet 5',
          context_window: 1_000_000,
          max_output: 128_000,
          capabilities: ['chat', 'streaming', 'tools', 'vision', 'json_mode'],
        },
        {
          id: 'claude-text-only',
          name: 'Claude Text Only',
          description: 'Claude Text Only',
          capabilities: ['chat', 'streaming', 'tools'],
        },
      ],
    });
  });

  it.each([
    ['capability=vision', ['claude-sonnet-5']],
    ['capability=chat&capability=tools', ['claude-sonnet-5', 'claude-text-only']],
    ['capability=chat&capability=vision', ['claude-sonnet-5']],
    ['capability=reranking', []],
  ])('holds all of %s', async (query, models) => {
    expect((await get(`${MODELS}?provider=anthropic&${query}`)).body).toEqual({ models });
  });

  it.each([
    ['an unknown provider', '?provider=mistral'],
    ['one that is not configured', '?provider=openai'],
  ])('refuses %s with those that are', async (_name, query) => {
    const { status, error } = await get(`${MODELS}${query}`);
    expect(status).toBe(400);
    expect(error).toBe(
      'The query parameter provider must be one of the configured providers: ollama, anthropic.',
    );
  });

  it.each([
    '',
    '?provider=',
    '?provider=ollama&provider=ollama',
    '?provider=ollama&capability=flying',
    '?provider=ollama&metadata=maybe',
  ])('refuses the query %j', async (query) => {
    expect((await get(`${MODELS}${query}`)).status).toBe(400);
  });

  it('says so when nothing is configured', async () => {
    configure({ providers: {} });
    const { status, error } = await get(`${MODELS}?provider=ollama`);
    expect([status, error]).toEqual([400, 'No LLM provider is configured, so there are no models to list.']);
  });

  it('asks the provider once in five minutes, however many ask', async () => {
    const asked = () => mock.requests.filter(({ asked_for }) => asked_for === 'list').length;
    await Promise.all(Array.from({ length: 20 }, () => get(`${MODELS}?provider=anthropic`)));
    clock.advance(5 * 60_000 - 1);
    await get(`${MODELS}?provider=anthropic&metadata=true`);
    expect(asked()).toBe(1);
    clock.advance(60_000);
    await get(`${MODELS}?provider=anthropic`);
    expect(asked()).toBe(2);
  });

  it('answers 504 for a provider that hangs', async () => {
    configure(twoProviders(), 300);
    mock.failAlways('list', { kind: 'hang' });
    const { status, error } = await get(`${MODELS}?provider=anthropic`);
    expect([status, error]).toEqual([504, 'The LLM provider Anthropic did not answer in time.']);
  });

  it('answers 502 for a provider that fails, and keeps no failure', async () => {
    mock.failNext('list', { kind: 'status', status: 500 });
    const failed = await get(`${MODELS}?provider=anthropic`);
    expect([failed.status, failed.error]).toEqual([
      502,
      'The LLM provider Anthropic answered with an error.',
    ]);
    expect((await get(`${MODELS}?provider=anthropic`)).status).toBe(200);
  });
});

describe('getLlmHealth', () => {
  it('is ok when all answer', async () => {
    const { status, body } = await get(HEALTH);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      providers: { ollama: { status: 'ok' }, anthropic: { status: 'ok' } },
    });
  });

  it('is ok when none is configured', async () => {
    configure({ providers: {} });
    const { status, body } = await get(HEALTH);
    expect([status, body]).toEqual([200, { status: 'ok', providers: {} }]);
  });

  it('is 503 with the report when one is down', async () => {
    configure({
      providers: {
        ollama: { base_url: mock.baseUrl('ollama') },
        anthropic: { api_key: new Secret(`${CANARY}-wrong`), base_url: mock.baseUrl('anthropic') },
      },
    });
    const { status, body } = await get(HEALTH);
    expect(status).toBe(503);
    expect(body).toEqual({
      status: 'degraded',
      providers: { anthropic: { status: 'down', error: 'rejected' }, ollama: { status: 'ok' } },
      error: 'One LLM provider does not answer: anthropic.',
    });
  });

  it('asks each provider once in 30 s, whatever the outcome', async () => {
    mock.failAlways('list', { kind: 'reset' });
    const reports = await Promise.all(Array.from({ length: 10 }, () => get(HEALTH)));
    expect(new Set(reports.map(({ status }) => status))).toEqual(new Set([503]));
    mock.failAlways('list', undefined);
    const asked = mock.requests.length;
    clock.advance(29_000);
    expect((await get(HEALTH)).status).toBe(503);
    expect(mock.requests).toHaveLength(asked);
    clock.advance(1000);
    expect((await get(HEALTH)).status).toBe(200);
    expect(mock.requests).toHaveLength(asked + 2);
  });

  it('gives up on a provider that hangs', async () => {
    configure(twoProviders(), 300);
    mock.failAlways('list', { kind: 'hang' });
    const { status, body } = await get(HEALTH);
    expect(status).toBe(503);
    expect(body).toMatchObject({ providers: { ollama: { status: 'down', error: 'timeout' } } });
  });
});

describe('the limit', () => {
  it('lets an address read 60 times a minute over all three, then answers 429 with Retry-After', async () => {
    const paths = [PROVIDERS, `${MODELS}?provider=anthropic`, HEALTH];
    for (let count = 0; count < 60; count += 1) expect((await get(paths[count % 3] ?? '')).status).toBe(200);
    clock.advance(20_000);
    for (const path of paths) {
      const { status, headers, error } = await get(path);
      expect([status, headers['retry-after'], error]).toEqual([
        429,
        '40',
        'Too many requests. Try again in 40 seconds.',
      ]);
    }
    clock.advance(40_000);
    expect((await get(PROVIDERS)).status).toBe(200);
  });
});
