// What tests of the proxy share: the API on a real socket, and each provider speaking its real format on loopback.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type AiParts, createAiParts } from '../../assistant/ai-parts.ts';
import type { LlmConfig } from '../../assistant/providers/types.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { startWholeApi, type WholeApi } from '../rooms/whole.ts';
import { type LlmMock, PROVIDERS_OWN_TEXT, startLlmMock } from './llm-mock.ts';

const CANARY = 'sk-canary-9d1e';
export const CHAT = 'POST /api/v1/llm/chat';
export const STREAM = 'POST /api/v1/llm/chat/stream';
export const PROVIDERS = ['anthropic', 'gemini', 'ollama', 'openai'] as const;
export const hello = { messages: [{ role: 'user', content: 'Why is it slow?' }] };

export interface Answered {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Of JSON. */
  body: unknown;
  error: unknown;
}

export interface ProxyTests {
  readonly test: WholeApi;
  readonly mock: LlmMock;
  readonly port: number;
  /** Other settings, for the rest of the test. */
  settings(more: object, providers?: LlmConfig['providers']): void;
  /** Of the owner, where no token is given; nothing secret is in the answer. */
  call(line: string, body: unknown, token?: string): Promise<Answered>;
  /** The body of the newest request for an answer, as text. */
  sent(): string;
}

async function ask(port: number, line: string, { token, body }: { token: string; body: unknown }) {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  for (const secret of [CANARY, PROVIDERS_OWN_TEXT, '127.0.0.1:']) expect(text).not.toContain(secret);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const parsed: unknown = isJson ? JSON.parse(text) : undefined;
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, text, body: parsed, error: Object(parsed).error };
}

/** Registers set-up and tear-down for the calling test file. */
export function proxyTests(): ProxyTests {
  let mock: LlmMock;
  let test: WholeApi;
  let port: number;
  let current: AiParts;
  const made: AiParts[] = [];
  const parts = (more: object, providers?: LlmConfig['providers']) => {
    const usual = {
      anthropic: { api_key: new Secret(CANARY), base_url: mock.baseUrl('anthropic'), model: 'claude-x' },
      gemini: { api_key: new Secret(CANARY), base_url: mock.baseUrl('gemini'), model: 'gemini-x' },
      ollama: { base_url: mock.baseUrl('ollama'), model: 'llama-x' },
      openai: { api_key: new Secret(CANARY), base_url: mock.baseUrl('compatible'), model: 'gpt-x' },
    };
    const config = { providers: providers ?? usual, calls_per_minute: 10_000, ...more };
    const one = createAiParts({ config, db: test.db, clock: systemClock, log: silentLog });
    made.push(one);
    return one;
  };
  beforeAll(async () => {
    mock = await startLlmMock({ key: CANARY });
    test = await startWholeApi({
      config: { requestTimeoutMs: 1000 },
      services: {
        proxy: {
          prepare: (...of) => current.services.proxy.prepare(...of),
          chat: (...of) => current.services.proxy.chat(...of),
          streamChat: (...of) => current.services.proxy.streamChat(...of),
          embed: (...of) => current.services.proxy.embed(...of),
          embedMultimodal: (...of) => current.services.proxy.embedMultimodal(...of),
          rerank: (...of) => current.services.proxy.rerank(...of),
        },
      },
    });
    parts({});
    ({ port } = await test.api.listen());
  });
  beforeEach(() => {
    mock.reset();
    const [usual] = made;
    if (usual) current = usual;
  });
  afterAll(async () => {
    for (const one of made) for (const part of one.parts.toReversed()) await part.stop();
    await test.close();
    await mock.stop();
  });
  return {
    get test() {
      return test;
    },
    get mock() {
      return mock;
    },
    get port() {
      return port;
    },
    settings(more, providers) {
      current = parts(more, providers);
    },
    sent: () => JSON.stringify(mock.generated().at(-1)?.body),
    call: (line, body, token = test.actors.owner.session) => ask(port, line, { token, body }),
  };
}

/** Of a stream, what stands in each of its events. */
export const frames = (text: string) =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '' && !frame.startsWith(':'))
    .map((frame) => {
      const [, event, data = ''] = /^(?:event: (\w+)\n)?data: (.*)$/.exec(frame) ?? [];
      return { ...(event && { event }), data: JSON.parse(data) };
    });
