// Pieces of text that are read past the SDKs: the same bytes are answered to a question for text, and to one that asks for a
// format, which the SDK reads from the first byte on, and both have to say the same, however the bytes are cut.
import { once } from 'node:events';
import http from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { type MockAnswer, STREAMS } from '../../testing/llm/llm-mock-streams.ts';
import { createProviders, type Providers } from './registry.ts';
import type { ChatEvent, ChatRequest } from './support/chat-types.ts';

const REQUEST: ChatRequest = {
  system: '',
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Why?' }] }],
  tools: [{ name: 'get_load', description: 'Load.', input_schema: { type: 'object', properties: {} } }],
  tool_choice: { mode: 'auto' },
  response_format: { type: 'text' },
  max_tokens: 100,
  stop_sequences: [],
};
const SCHEMA = { type: 'object', properties: {}, additionalProperties: false };
const TEXTS: MockAnswer = { texts: ['Weil ', 'Sperren ', '— 日本 🐘', ' warten.'] };
const CALL: MockAnswer = {
  texts: ['I ', 'look.'],
  calls: [{ id: 'call_1', name: 'get_load', pieces: ['{"a"', ':1}'] }],
};

let answer: { type: string; bytes: Buffer; step: number };
let server: http.Server;
let providers: Providers;

beforeAll(async () => {
  server = http.createServer(async (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': answer.type }).flushHeaders();
    for (let at = 0; at < answer.bytes.length; at += answer.step) {
      response.write(answer.bytes.subarray(at, at + answer.step));
      await turn();
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const base_url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
  const api_key = new Secret('sk-plain');
  providers = createProviders({
    providers: {
      openai: { api_key, base_url },
      anthropic: { api_key, base_url, model: 'claude-sonnet-4-5' },
      gemini: { api_key, base_url },
      ollama: { base_url },
    },
  });
});
afterAll(async () => {
  await providers.stop();
  server.close();
});

async function heard(name: string, request: ChatRequest): Promise<ChatEvent[] | string> {
  const events: ChatEvent[] = [];
  const limits = { signal: new AbortController().signal, timeout_ms: 20_000 };
  try {
    for await (const event of providers.get(name)?.chat(request, limits) ?? []) events.push(event);
  } catch (error) {
    return String(error);
  }
  // Calls that their provider does not number get a number of ours.
  return events.map((event) => ('id' in event ? { ...event, id: 'one' } : event));
}

async function bothWays(name: string, text: string, step = 1 << 20) {
  const type = name === 'ollama' ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8';
  answer = { type, bytes: Buffer.from(text), step };
  const plain = await heard(name, REQUEST);
  const asked = await heard(name, { ...REQUEST, response_format: { type: 'json_schema', schema: SCHEMA } });
  return { plain, asked };
}

const WRITTEN = {
  openai: STREAMS.compatible,
  anthropic: STREAMS.anthropic,
  gemini: STREAMS.gemini,
  ollama: STREAMS.ollama,
};

describe.each(Object.entries(WRITTEN))('%s', (name, written) => {
  it.each([
    ['texts', TEXTS],
    ['a call after them', CALL],
    ['a limit', { ...TEXTS, stop: name === 'gemini' ? 'MAX_TOKENS' : 'length' }],
  ])('says the same either way, byte by byte and at once: %s', async (_what, said) => {
    const text = written('some-model', said).join('');
    const once = await bothWays(name, text);
    expect(once.plain.length).toBeGreaterThan(said.texts.length);
    expect(once.plain).toEqual(once.asked);
    expect((await bothWays(name, text, 1)).plain).toEqual(once.asked);
    expect((await bothWays(name, text.replaceAll('\n', '\r\n'), 7)).plain).toEqual(once.asked);
  });

  it('fails the same where it ends too early', async () => {
    const text = written('some-model', TEXTS).slice(0, 4).join('');
    const { plain, asked } = await bothWays(name, text);
    expect(plain).toBe(asked);
    expect(plain).toMatch(/failed/);
  });
});

describe('what servers that speak like OpenAI do besides', () => {
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
  it.each([
    ['comments between', `: PROCESSING\n\n${chunk({ content: 'a' })}:\n\n${chunk({ content: 'b' })}${end}`],
    [
      'thoughts',
      `${chunk({ reasoning: 'hm' })}${chunk({ reasoning_content: 'so' })}${chunk({ content: 'a' })}${end}`,
    ],
    ['a refusal', `${chunk({ content: 'a' })}${chunk({ refusal: 'No.' })}${end}`],
    [
      'content in parts',
      `${chunk({ content: [{ type: 'text', text: 'a' }] })}${chunk({ content: 'b' })}${end}`,
    ],
    [
      'tokens counted in each',
      `${chunk({ content: 'a' }, { usage: { prompt_tokens: 5, completion_tokens: 1 } })}${chunk({ content: 'b' })}${end}`,
    ],
    ['data on two lines', `${chunk({ content: 'a' }).replace(',"finish', '\ndata: ,"finish')}${end}`],
    ['names of events', `event: message\nid: 1\n${chunk({ content: 'a' })}${end}`],
    ['no choices', `data: {"choices":[]}\n\n${chunk({ content: 'a' })}${end}`],
    ['no space after the colon', `${chunk({ content: 'a' }).replace('data: ', 'data:')}${end}`],
    ['an error in the middle', `${chunk({ content: 'a' })}data: {"error":{"message":"secret"}}\n\n`],
    ['what is no JSON', `${chunk({ content: 'a' })}data: {"half\n\n${end}`],
    ['a role that nobody has', `${chunk({ role: 'tool', content: 'a' })}${end}`],
    ['a number for text', `${chunk({ content: 7 })}${end}`],
  ])('%s', async (_what, text) => {
    const { plain, asked } = await bothWays('openai', text);
    expect(plain).toEqual(asked);
    expect(plain).not.toEqual([]);
  });

  it('takes no message of any length', async () => {
    const long = `data: ${'x'.repeat(5 * 1024 * 1024)}`;
    expect((await bothWays('openai', long)).plain).toBe(
      'OutboundError: outbound call: failed ANSWER_TOO_LONG',
    );
  });
});
