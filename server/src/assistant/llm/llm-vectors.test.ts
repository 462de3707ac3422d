// Vectors and ranks through HTTP: each provider's own form, the order of the input, what is refused, and what is never fetched.
import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { proxyTests } from '../../testing/llm/proxy-tests.ts';

const EMBED = 'POST /api/v1/llm/embed';
const MULTIMODAL = 'POST /api/v1/llm/embed/multimodal';
const RERANK = 'POST /api/v1/llm/rerank';
const PNG = 'iVBORw0KGgo=';

const proxy = proxyTests();
const bodies = () => proxy.mock.requests.map(({ body }) => JSON.stringify(body));
const anthropicOnly = () => ({
  anthropic: { api_key: new Secret('sk-canary-9d1e'), base_url: proxy.mock.baseUrl('anthropic') },
});

/** Of a vector of the mock: how long its input was. */
const lengths = (body: unknown): number[] => Object(body).embeddings.map(([length]: number[]) => length);

describe('embed', () => {
  it.each(['gemini', 'ollama', 'openai'])(
    'of %s keeps the order of the input, however many',
    async (provider) => {
      const input = Array.from({ length: 256 }, (_, n) => 'x'.repeat(n + 1));
      const answer = await proxy.call(EMBED, { provider, input });
      expect(answer.status, answer.text).toBe(200);
      const got = lengths(answer.body);
      expect(got).toHaveLength(256);
      expect(got).toEqual(got.toSorted((a, b) => a - b));
      expect(new Set(got).size).toBe(256);
      expect(proxy.mock.requests.length).toBe(provider === 'gemini' ? 3 : 1);
    },
  );

  it('asks the first provider that can, by its own model or a named one', async () => {
    await proxy.call(EMBED, { input: ['a'] });
    expect(proxy.mock.requests[0]).toMatchObject({
      dialect: 'gemini',
      path: expect.stringContaining('gemini-embedding-001'),
    });
    await proxy.call(EMBED, { input: ['a'], provider: 'openai', model: 'bge-m3' });
    expect(bodies()[1]).toContain('"bge-m3"');
  });

  it('is 501 where nobody can', async () => {
    expect((await proxy.call(EMBED, { input: ['a'], provider: 'anthropic' })).status).toBe(501);
    proxy.settings({}, anthropicOnly());
    for (const [line, body] of [
      [EMBED, { input: ['a'] }],
      [MULTIMODAL, { inputs: [{ content: [{ type: 'text', text: 'a' }] }] }],
      [RERANK, { query: 'a', documents: ['b'] }],
    ] as const)
      expect((await proxy.call(line, body)).status).toBe(501);
    expect(proxy.mock.requests).toEqual([]);
  });

  it('fails in our words', async () => {
    for (const fault of [
      { kind: 'status', status: 500 },
      { kind: 'wrong_shape' },
      { kind: 'not_json' },
    ] as const) {
      proxy.mock.failAlways('embed', fault);
      const answer = await proxy.call(EMBED, { input: ['a'], provider: 'openai' });
      expect([answer.status, answer.error]).toEqual([502, 'The LLM provider OpenAI answered with an error.']);
    }
    proxy.settings({ timeout_seconds: 0.2 });
    proxy.mock.failAlways('embed', { kind: 'hang' });
    expect((await proxy.call(EMBED, { input: ['a'], provider: 'openai' })).status).toBe(504);
  });

  it.each([
    { input: [] },
    { input: Array.from({ length: 257 }, () => 'a') },
    { input: 'a' },
    { input: ['a'], model: 'a/../b' },
    { input: ['a'], provider: 'acme' },
  ])('refuses what is no list of texts, and unknown names', async (body) => {
    expect((await proxy.call(EMBED, body)).status).toBe(400);
  });
});

describe('embed/multimodal', () => {
  const inputs = [
    {
      content: [
        { type: 'text', text: 'a tree' },
        { type: 'image_base64', image_base64: PNG, mime_type: 'image/png' },
      ],
    },
    { content: [{ type: 'text', text: 'only words' }] },
  ];

  it.each(['gemini', 'openai'])('of %s sends texts and images', async (provider) => {
    const answer = await proxy.call(MULTIMODAL, { provider, inputs });
    expect(answer.status, answer.text).toBe(200);
    expect(lengths(answer.body)).toHaveLength(2);
    const all = bodies().join();
    for (const part of [PNG, 'image/png', 'a tree', 'only words']) expect(all).toContain(part);
  });

  it('hands an address on and fetches nothing', async () => {
    const content = [{ type: 'image_url', image_url: 'https://example.com/a.png' }];
    expect((await proxy.call(MULTIMODAL, { provider: 'openai', inputs: [{ content }] })).status).toBe(200);
    expect(bodies()).toEqual([expect.stringContaining('https://example.com/a.png')]);
    expect((await proxy.call(MULTIMODAL, { provider: 'gemini', inputs: [{ content }] })).status).toBe(501);
    expect(proxy.mock.requests).toHaveLength(1);
  });

  it.each<object>([
    { type: 'image_url', image_url: 'http://example.com/a.png' },
    { type: 'image_url', image_url: 'https://10.0.0.1/a.png' },
    { type: 'image_url', image_url: 'https://metadata.internal/a.png' },
    { type: 'image_url' },
    { type: 'image_base64', image_base64: PNG },
    { type: 'image_base64', image_base64: PNG, mime_type: 'image/svg+xml' },
    { type: 'image_base64', image_base64: '<png>', mime_type: 'image/png' },
    { type: 'text' },
  ])('refuses %o', async (part) => {
    expect((await proxy.call(MULTIMODAL, { provider: 'openai', inputs: [{ content: [part] }] })).status).toBe(
      400,
    );
    expect(proxy.mock.requests).toEqual([]);
  });

  it('refuses no content and too many inputs', async () => {
    const many = Array.from({ length: 257 }, () => ({ content: [{ type: 'text', text: 'a' }] }));
    for (const wrong of [[], [{ content: [] }], many])
      expect((await proxy.call(MULTIMODAL, { provider: 'openai', inputs: wrong })).status).toBe(400);
  });
});

describe('rerank', () => {
  const documents = ['four', 'the longest of them', 'a'];

  it('tells the best first, by their places in the list', async () => {
    const answer = await proxy.call(RERANK, { query: 'q', documents });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        results: [
          { index: 1, relevance_score: 0.19, document: 'the longest of them' },
          { index: 0, relevance_score: 0.04, document: 'four' },
          { index: 2, relevance_score: 0.01, document: 'a' },
        ],
        usage: { total_tokens: 33 },
      },
    ]);
    const few = await proxy.call(RERANK, { query: 'q', documents, top_k: 1 });
    expect(Object(few.body).results).toHaveLength(1);
    expect((await proxy.call(RERANK, { query: 'q', documents, top_k: 5000 })).status).toBe(200);
  });

  it.each([
    { query: '', documents },
    { query: 'q', documents: [] },
    { query: 'q', documents, top_k: 0 },
  ])('refuses %o', async (body) => {
    expect((await proxy.call(RERANK, body)).status).toBe(400);
  });

  it('is 502 where the answer makes no sense', async () => {
    proxy.mock.failAlways('rank', { kind: 'wrong_shape' });
    expect((await proxy.call(RERANK, { query: 'q', documents })).status).toBe(502);
  });

  it('counts with all calls of models', async () => {
    proxy.settings({ calls_per_minute: 2 });
    const statuses: number[] = [];
    for (const line of [RERANK, EMBED, RERANK]) {
      const body = line === EMBED ? { input: ['a'], provider: 'openai' } : { query: 'q', documents };
      statuses.push((await proxy.call(line, body)).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});
