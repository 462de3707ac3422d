// What the proxy refuses, with its status, and what it says when a provider fails. Sizes are in
// llm-chat-refused.proof.test.ts.
import { describe, expect, it } from 'vitest';
import { CHAT, frames, hello, proxyTests, STREAM } from '../../testing/llm/proxy-tests.ts';

const proxy = proxyTests();

const NOT_PUBLIC = [
  'http://example.com/a.png',
  'https://127.0.0.1/a.png',
  'https://2130706433/a.png',
  'https://10.1.2.3/a.png',
  'https://169.254.169.254/latest',
  'https://[::ffff:10.0.0.1]/a.png',
  'https://localhost/a.png',
  'https://db.internal/a.png',
  'https://intranet/a.png',
  'https://a:b@example.com/a.png',
];

describe('what is refused', () => {
  const image = (image: object) => ({ messages: [{ role: 'user', content: [{ type: 'image', image }] }] });
  it.each<[string, object, RegExp]>([
    ['no messages', { messages: [] }, /messages/],
    ['nothing said', { messages: [{ role: 'user', content: '' }] }, /messages/],
    ['an unknown provider', { ...hello, provider: 'acme' }, /anthropic, gemini/],
    ['a model with ..', { ...hello, model: 'a/../b' }, /^model must/],
    ['a model with spaces', { ...hello, model: 'gpt 5' }, /^model must/],
    ['a model that is too long', { ...hello, model: 'x'.repeat(257) }, /^model must/],
    [
      'a tool without a schema',
      { ...hello, tools: [{ name: 'a', description: 'b' }] },
      /tools\[0\].input_schema/,
    ],
    ['a choice of no tool', { ...hello, tool_choice: { mode: 'specific', name: 'x' } }, /tool_choice/],
    ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, /role/],
    ['temperature 3', { ...hello, temperature: 3 }, /temperature/],
    ['max_tokens 0', { ...hello, max_tokens: 0 }, /max_tokens/],
    ['a schema that is missing', { ...hello, response_format: { type: 'json_schema' } }, /json_schema/],
    [
      'a call of a user',
      { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] }] },
      /tool_use/,
    ],
    ...NOT_PUBLIC.map((url): [string, object, RegExp] => [
      url,
      image({ url }),
      /https address on a public host/,
    ]),
    ['data that is no base64', image({ data: '<svg>', media_type: 'image/png' }), /base64/],
    ['an image of another kind', image({ data: 'AAAA', media_type: 'image/svg+xml' }), /media_type/],
  ])('%s is 400, on both paths, and nothing is sent', async (_name, body, sentence) => {
    for (const line of [CHAT, STREAM]) {
      const answer = await proxy.call(line, body);
      expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(sentence)]);
      expect(answer.headers['content-type']).toContain('application/json');
    }
    expect(proxy.mock.requests).toEqual([]);
  });

  it('without a provider all is 400', async () => {
    proxy.settings({}, {});
    const answer = await proxy.call(CHAT, hello);
    expect([answer.status, answer.error]).toEqual([400, 'No LLM provider is configured.']);
  });

  it('what the provider cannot do is 501', async () => {
    const answer = await proxy.call(CHAT, { ...hello, response_format: { type: 'json_object' } });
    expect([answer.status, answer.error]).toEqual([
      501,
      expect.stringMatching(/^The LLM provider Anthropic cannot take/),
    ]);
    const streamed = await proxy.call(STREAM, {
      ...hello,
      provider: 'ollama',
      tools: [{ name: 'a', description: '', input_schema: {} }],
      tool_choice: { mode: 'required' },
    });
    expect(streamed.status).toBe(501);
    expect(proxy.mock.requests).toEqual([]);
  });

  it('more calls than allowed are 429', async () => {
    proxy.settings({ calls_per_minute: 2 });
    const statuses: number[] = [];
    for (const line of [CHAT, STREAM, CHAT, STREAM]) statuses.push((await proxy.call(line, hello)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await proxy.call(CHAT, hello, proxy.test.actors.other.session)).status).toBe(200);
  });

  it.each<[number, number]>([
    [500, 502],
    [401, 502],
    [400, 502],
    [429, 502],
  ])('a provider that answers %i is %i in our words', async (status, ours) => {
    for (const line of [CHAT, STREAM]) {
      proxy.mock.failAlways('generate', { kind: 'status', status, retry_after: '0' });
      const answer = await proxy.call(line, hello);
      expect([answer.status, answer.error]).toEqual([
        ours,
        expect.stringMatching(/^The LLM provider Anthropic /),
      ]);
    }
  });

  it('a provider that is silent, or never ends, is 504', async () => {
    proxy.settings({ timeout_seconds: 0.3 });
    proxy.mock.failAlways('generate', { kind: 'hang' });
    for (const line of [CHAT, STREAM]) expect((await proxy.call(line, hello)).status).toBe(504);
    proxy.mock.failAlways('generate', { kind: 'streamed', pieces: 4, ends: 'stall' });
    proxy.mock.say({ texts: ['a', 'b', 'c', 'd'] });
    expect((await proxy.call(CHAT, hello)).status).toBe(504);
    const streamed = await proxy.call(STREAM, hello);
    expect(streamed.status).toBe(200);
    expect(frames(streamed.text).at(-1)).toEqual({
      event: 'error',
      data: { error: 'The LLM provider Anthropic did not answer in time.' },
    });
  });
});
