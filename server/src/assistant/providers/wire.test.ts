// The same calls against a mock of the providers that others wrote, so that our own idea of the formats is not
// checked by itself; and OpenAI's own API, which another base URL would not reach.
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, createTransport, type Transport } from '../../kernel/http/transport.ts';
import { Secret } from '../../kernel/secret.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { provider as openai } from './openai.ts';
import { createProviders, type Providers } from './registry.ts';
import { generate } from './support/generate.ts';

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
const OFFICIAL = 'https://api.openai.com/v1';

describe('against another mock of the providers', () => {
  const aimock = new LLMock({ port: 0, host: '127.0.0.1' });
  let providers: Providers;

  beforeAll(async () => {
    await aimock.start();
    aimock.onMessage(/colour/, { content: '{"word":"blue"}' });
    const api_key = new Secret('aimock-key');
    providers = createProviders({
      providers: {
        anthropic: { api_key, base_url: aimock.url },
        openai: { api_key, base_url: aimock.url },
        gemini: { api_key, base_url: aimock.url },
        ollama: { base_url: aimock.url },
      },
    });
  });
  afterAll(async () => {
    await providers.stop();
    await aimock.stop();
  });

  it.each(['anthropic', 'openai', 'gemini', 'ollama'])('%s generates', async (name) => {
    const generated = await providers.get(name)?.generate(INPUT);
    expect(generated?.text).toBe('{"word":"blue"}');
  });
});

describe("OpenAI's own API", () => {
  let mock: LlmMock;
  beforeAll(async () => {
    mock = await startLlmMock({ key: 'sk-official' });
  });
  afterAll(() => mock.stop());

  /** The real transport, with OpenAI's address led to the mock. */
  async function withTransport<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
    const agent = await createAgent({ allow_private: true });
    const signal = AbortSignal.timeout(5000);
    const transport = createTransport({ agent, allow_private: true, signal, max_bytes: 1_000_000 });
    const led = (url: string) => url.replace(OFFICIAL, mock.baseUrl('openai'));
    try {
      return await work({
        ...transport,
        fetch: (input, init) => transport.fetch(led(String(input)), init),
        json: (request) => transport.json({ ...request, url: led(request.url) }),
      });
    } finally {
      await agent.destroy();
    }
  }

  it('generates by the Responses API', async () => {
    mock.reply('{"word":"blue"}');
    const api_key = new Secret('sk-official');
    const generated = await withTransport((transport) =>
      generate(
        () =>
          openai.prepareModel({
            api_key,
            base_url: OFFICIAL,
            transport,
            model: 'gpt-5.1',
            context_tokens: 500,
          }),
        transport,
        INPUT,
      ),
    );
    expect(generated.text).toBe('{"word":"blue"}');
    expect(mock.generated()[0]?.path).toBe('/v1/responses');
    expect(JSON.stringify(mock.generated()[0]?.body)).toContain('"word"');
  });

  it('knows from the names what the models can do', async () => {
    const api_key = new Secret('sk-official');
    const models = await withTransport((transport) =>
      openai.listModels({ api_key, base_url: OFFICIAL, transport }),
    );
    expect(models).toEqual([
      {
        id: 'gpt-5.1',
        name: 'gpt-5.1',
        capabilities: ['chat', 'streaming', 'tools', 'vision', 'json_mode'],
      },
      {
        id: 'text-embedding-3-small',
        name: 'text-embedding-3-small',
        dimensions: 1536,
        capabilities: ['embeddings'],
      },
      { id: 'whisper-1', name: 'whisper-1', capabilities: [] },
    ]);
  });
});
