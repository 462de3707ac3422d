// The contract kit of providers: every file of the folder against a server that speaks its real format, through
// success and every fault. A new provider is in it as soon as it is in the catalog and has a dialect below.
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FailureKind, OutboundError } from '../../kernel/http/outbound-error.ts';
import { Secret } from '../../kernel/secret.ts';
import {
  type LlmMock,
  type MockFault,
  PROVIDERS_OWN_TEXT,
  startLlmMock,
} from '../../testing/llm/llm-mock.ts';
import type { Dialect } from '../../testing/llm/llm-mock-formats.ts';
import { providers as catalog, type ProviderName } from './catalog.gen.ts';
import { type ConfiguredProvider, createProviders, type Providers } from './registry.ts';
import type { ModelInfo } from './types.ts';

const CANARY = 'sk-canary-4b1d2f';
const DIALECT: Record<ProviderName, Dialect> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
  ollama: 'ollama',
  openai: 'compatible',
};
const SCHEMA = {
  type: 'object',
  properties: { word: { type: 'string' } },
  required: ['word'],
  additionalProperties: false,
};
const INPUT = {
  instructions: 'Answer with one word.',
  prompt: 'A colour?',
  schema: SCHEMA,
  answer_tokens: 100,
};

const MODELS: Record<ProviderName, ModelInfo[]> = {
  anthropic: [
    {
      id: 'claude-sonnet-5',
      name: 'Claude Sonnet 5',
      context_window: 1_000_000,
      max_output: 128_000,
      capabilities: ['chat', 'streaming', 'tools', 'vision', 'json_mode'],
    },
    { id: 'claude-text-only', name: 'Claude Text Only', capabilities: ['chat', 'streaming', 'tools'] },
  ],
  gemini: [
    {
      id: 'gemini-3.5-flash',
      name: 'Gemini 3.5 Flash',
      description: 'Fast and versatile.',
      context_window: 1_048_576,
      max_output: 65_536,
      capabilities: ['chat', 'streaming', 'tools', 'vision', 'json_mode'],
    },
    {
      id: 'gemini-embedding-001',
      name: 'Gemini Embedding 001',
      context_window: 2048,
      capabilities: ['embeddings'],
    },
    {
      id: 'gemini-embedding-2',
      name: 'gemini-embedding-2',
      capabilities: ['embeddings', 'multimodal_embeddings'],
    },
  ],
  ollama: [
    {
      id: 'llama3.3:latest',
      name: 'llama3.3:latest',
      description: 'llama3.3:latest, 70.6B, Q4_K_M',
      context_window: 131_072,
      capabilities: ['chat', 'streaming', 'json_mode', 'tools'],
    },
    {
      id: 'nomic-embed-text:latest',
      name: 'nomic-embed-text:latest',
      description: 'nomic-embed-text:latest, 137M, F16',
      context_window: 2048,
      dimensions: 768,
      capabilities: ['embeddings'],
    },
  ],
  openai: [
    {
      id: 'qwen/qwen3-30b',
      name: 'Qwen3 30B',
      description: 'A mixture of experts.',
      context_window: 131_072,
      max_output: 16_384,
      capabilities: ['chat', 'streaming', 'tools', 'vision', 'json_mode'],
    },
    {
      id: 'llama-3.1-8b',
      name: 'llama-3.1-8b',
      context_window: 32_768,
      capabilities: ['chat', 'streaming'],
    },
    { id: 'BAAI/bge-reranker-v2-m3', name: 'BAAI/bge-reranker-v2-m3', capabilities: ['reranking'] },
    { id: 'e5-v', name: 'e5-v', capabilities: ['embeddings', 'multimodal_embeddings'] },
  ],
};

it.each(catalog)('$name declares what some address of it can do', ({ capabilities, embed, rank, lacks }) => {
  const lacked = lacks?.('http://models.example/v1') ?? [];
  const can = (name: 'embeddings' | 'multimodal_embeddings' | 'reranking') =>
    !lacked.includes(name) && (name === 'reranking' ? rank : embed) !== undefined;
  for (const name of ['embeddings', 'multimodal_embeddings', 'reranking'] as const)
    expect(capabilities.includes(name), name).toBe(can(name));
});

let mock: LlmMock;
let providers: Providers;

beforeAll(async () => {
  mock = await startLlmMock({ key: CANARY });
  const settings = catalog.map(({ name }) => [
    name,
    { api_key: new Secret(CANARY), base_url: mock.baseUrl(DIALECT[name]), model: `${name}-model` },
  ]);
  providers = createProviders({ providers: Object.fromEntries(settings) });
});
beforeEach(() => mock.reset());
afterAll(async () => {
  await providers.stop();
  await mock.stop();
});

/** Whatever is thrown may be logged with all it carries: it must hold neither key nor the provider's words. */
async function failureOf(work: Promise<unknown>): Promise<OutboundError> {
  const error: OutboundError = await work.then(
    () => expect.unreachable(),
    (caught) => caught,
  );
  const everything = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error) + String(error);
  expect(everything).not.toContain(CANARY);
  expect(everything).not.toContain(PROVIDERS_OWN_TEXT);
  expect(error.name).toBe('OutboundError');
  return error;
}

function provider(name: ProviderName): ConfiguredProvider {
  const found = providers.get(name);
  if (!found) throw new Error(`${name} is not configured`);
  return found;
}

const FAULTS: { name: string; fault: MockFault; kind: FailureKind; tries: number }[] = [
  { name: '429 twice', fault: { kind: 'status', status: 429, retry_after: '0' }, kind: 'rejected', tries: 2 },
  { name: '503 twice', fault: { kind: 'status', status: 503, retry_after: '0' }, kind: 'failed', tries: 2 },
  { name: '500', fault: { kind: 'status', status: 500 }, kind: 'failed', tries: 1 },
  { name: '401', fault: { kind: 'status', status: 401 }, kind: 'rejected', tries: 1 },
  { name: '404', fault: { kind: 'status', status: 404 }, kind: 'rejected', tries: 1 },
  { name: 'a reset before the answer, twice', fault: { kind: 'reset' }, kind: 'unreachable', tries: 2 },
  { name: 'an answer cut in the middle, twice', fault: { kind: 'cut' }, kind: 'failed', tries: 2 },
  { name: 'broken JSON', fault: { kind: 'not_json' }, kind: 'failed', tries: 1 },
  { name: 'JSON of another shape', fault: { kind: 'wrong_shape' }, kind: 'failed', tries: 1 },
  { name: 'an endless answer', fault: { kind: 'huge', bytes: 9 * 1024 * 1024 }, kind: 'failed', tries: 1 },
];

describe.each(catalog.map(({ name }) => name))('%s', (name) => {
  const generate = () => provider(name).generate(INPUT);

  it('sends instructions, data and the key, and returns the text', async () => {
    mock.reply('{"word":"blue"}');
    const generated = await generate();
    expect(generated).toEqual({ text: '{"word":"blue"}', input_tokens: 100, output_tokens: 20 });
    expect(mock.requests).toHaveLength(1);
    const [request] = mock.requests;
    const sent = JSON.stringify(request?.body);
    expect(sent).toContain(INPUT.instructions);
    expect(sent).toContain(INPUT.prompt);
    expect(sent).not.toContain(CANARY);
    expect(request?.path).not.toContain(CANARY);
    expect(JSON.stringify(request?.headers)).toContain(CANARY);
    expect(`${request?.path} ${sent}`).toContain(`${name}-model`);
  });

  it('asks for the schema', async () => {
    await generate();
    expect(JSON.stringify(mock.requests[0]?.body)).toContain('"word"');
  });

  it('returns text that is no JSON as it is', async () => {
    mock.reply('Sure! The answer is blue.');
    expect((await generate()).text).toBe('Sure! The answer is blue.');
    expect(mock.requests).toHaveLength(1);
  });

  it('asks once more without schema and limits when the server does not know them', async () => {
    mock.failNext('generate', { kind: 'status', status: 400 });
    mock.reply('blue');
    expect((await generate()).text).toBe('blue');
    const [first, second] = mock.generated().map(({ body }) => JSON.stringify(body));
    expect(first).toContain('"word"');
    expect(second).not.toContain('"word"');
  });

  it('gets over one 429', async () => {
    mock.failNext('generate', { kind: 'status', status: 429, retry_after: '0' });
    mock.reply('blue');
    expect((await generate()).text).toBe('blue');
    expect(mock.generated()).toHaveLength(2);
  });

  it('gets over one dropped connection', async () => {
    mock.failNext('generate', { kind: 'cut' });
    mock.reply('blue');
    expect((await generate()).text).toBe('blue');
    expect(mock.generated()).toHaveLength(2);
  });

  it.each(FAULTS)('names $name', async ({ fault, kind, tries }) => {
    mock.failAlways('generate', fault);
    expect((await failureOf(generate())).kind).toBe(kind);
    expect(mock.generated()).toHaveLength(tries);
  });

  it('ends a call that is not answered in time', async () => {
    mock.failAlways('generate', { kind: 'hang' });
    const failure = await failureOf(provider(name).generate({ ...INPUT, timeout_ms: 300 }));
    expect(failure.kind).toBe('timeout');
  });

  it('ends a call when its caller says so', async () => {
    mock.failAlways('generate', { kind: 'hang' });
    const caller = new AbortController();
    const work = provider(name).generate({ ...INPUT, signal: caller.signal });
    caller.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
  });

  it('follows no redirect', async () => {
    const elsewhere = await startLlmMock();
    mock.failAlways('generate', { kind: 'redirect', location: elsewhere.baseUrl(DIALECT[name]) });
    mock.failAlways('list', { kind: 'redirect', location: elsewhere.baseUrl(DIALECT[name]) });
    expect((await failureOf(generate())).kind).toBe('rejected');
    expect((await failureOf(provider(name).listModels())).kind).toBe('rejected');
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.stop();
  });

  it('lists its models with what the provider says of them', async () => {
    expect(await provider(name).listModels()).toEqual(MODELS[name]);
    expect(JSON.stringify(mock.requests[0]?.headers)).toContain(CANARY);
  });

  it.each(FAULTS)('names $name when listing', async ({ fault, kind, tries }) => {
    mock.failAlways('list', fault);
    expect((await failureOf(provider(name).listModels())).kind).toBe(kind);
    expect(mock.requests.filter(({ asked_for }) => asked_for === 'list')).toHaveLength(tries);
  });

  it('answers a ping, and fails one in time', async () => {
    await provider(name).ping(5000);
    mock.failAlways('list', { kind: 'hang' });
    expect((await failureOf(provider(name).ping(200))).kind).toBe('timeout');
    mock.failAlways('list', { kind: 'status', status: 401 });
    expect((await failureOf(provider(name).ping(5000))).kind).toBe('rejected');
  });

  it('calls nothing that is not there', async () => {
    const gone = await startLlmMock();
    await gone.stop();
    const alone = createProviders({
      providers: { [name]: { api_key: new Secret(CANARY), base_url: gone.baseUrl(DIALECT[name]) } },
    });
    const failure = await failureOf(Promise.resolve(alone.default?.generate(INPUT)));
    expect(failure.kind).toBe('unreachable');
    expect(failure.details.code).toBe('ECONNREFUSED');
    await alone.stop();
  });
});
