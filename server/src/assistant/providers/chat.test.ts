// The contract kit of providers, continued: conversations. Every file of the folder against a server that streams in its real
// format, with tools, through every fault before and within the stream.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OutboundError } from '../../kernel/http/outbound-error.ts';
import { Secret } from '../../kernel/secret.ts';
import { type LlmMock, type MockFault, startLlmMock } from '../../testing/llm/llm-mock.ts';
import type { Dialect } from '../../testing/llm/llm-mock-formats.ts';
import { providers as catalog, type ProviderName } from './catalog.gen.ts';
import { createProviders, type Providers } from './registry.ts';
import type { ChatEvent, ChatMessage, ChatRequest, NotCapable } from './support/chat-types.ts';

const DIALECT: Record<ProviderName, Dialect> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
  ollama: 'ollama',
  openai: 'compatible',
};
/** What tells each that it may say no more. */
const LENGTH: Record<ProviderName, string> = {
  anthropic: 'max_tokens',
  gemini: 'MAX_TOKENS',
  ollama: 'length',
  openai: 'length',
};
/** How each is told that a tool failed. */
const FAILURE: Record<ProviderName, RegExp> = {
  anthropic: /"is_error":true/,
  gemini: /"error":"no such server"/,
  ollama: /\{\\"error\\":\\"no such server\\"\}/,
  openai: /\{\\"error\\":\\"no such server\\"\}/,
};
const user = (text: string): ChatMessage => ({ role: 'user', blocks: [{ type: 'text', text }] });
const REQUEST: ChatRequest = {
  system: 'Be brief.',
  messages: [user('Why is it slow?')],
  tools: [],
  tool_choice: { mode: 'auto' },
  response_format: { type: 'text' },
  max_tokens: 500,
  stop_sequences: [],
};
const TOOLS = ['get_load', 'get_locks'].map((name) => ({
  name,
  description: `What ${name} says.`,
  input_schema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}));

let mock: LlmMock;
let providers: Providers;

beforeAll(async () => {
  mock = await startLlmMock();
  const settings = catalog.map(({ name }) => [
    name,
    { api_key: new Secret('sk-chat'), base_url: mock.baseUrl(DIALECT[name]), model: `${name}-model` },
  ]);
  providers = createProviders({ providers: Object.fromEntries(settings) });
});
beforeEach(() => mock.reset());
afterAll(async () => {
  await providers.stop();
  await mock.stop();
});

interface Limits {
  signal?: AbortSignal;
  timeout_ms?: number;
}

function events(name: ProviderName, request: Partial<ChatRequest> = {}, limits: Limits = {}) {
  const found = providers.get(name);
  if (!found) throw new Error(`${name} is not configured`);
  const usual = { signal: new AbortController().signal, timeout_ms: 20_000 };
  return found.chat({ ...REQUEST, ...request }, { ...usual, ...limits });
}

async function all(stream: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const got: ChatEvent[] = [];
  for await (const event of stream) got.push(event);
  return got;
}

/** What came until it failed, and how it failed. */
async function failing(stream: AsyncIterable<ChatEvent>) {
  const got: ChatEvent[] = [];
  try {
    for await (const event of stream) got.push(event);
  } catch (error) {
    return { got, error: error as OutboundError };
  }
  throw new Error('it did not fail');
}

const sent = () => JSON.stringify(mock.generated().at(-1)?.body);

describe.each(catalog.map(({ name }) => name))('%s', (name) => {
  it('streams the text as it comes, with the usage at the end', async () => {
    mock.say({ texts: ['Because ', 'of ', 'locks.'] });
    expect(await all(events(name))).toEqual([
      { type: 'text', text: 'Because ' },
      { type: 'text', text: 'of ' },
      { type: 'text', text: 'locks.' },
      {
        type: 'done',
        stop_reason: 'end_turn',
        usage: expect.objectContaining({ input: 100, output: 20 }),
        warnings: [],
      },
    ]);
    expect(sent()).toContain('Be brief.');
    expect(sent()).toContain('Why is it slow?');
    expect(sent()).toContain('500');
    expect(JSON.stringify(mock.requests[0]?.headers)).toContain('sk-chat');
  });

  it('hands on the first piece before the answer is whole', async () => {
    mock.failNext('generate', { kind: 'streamed', pieces: name === 'anthropic' ? 4 : 2, ends: 'stall' });
    mock.say({ texts: ['first', 'second', 'third'] });
    for await (const event of events(name)) {
      expect(event).toEqual({ type: 'text', text: 'first' });
      break;
    }
  });

  it('calls tools in its own form, one after the other, whole and in pieces', async () => {
    const calls = [
      { id: 'call_1', name: 'get_load', pieces: ['{"i', 'd": ', '1}'] },
      { id: 'call_2', name: 'get_locks', pieces: ['{"id"', ': 2}'] },
    ];
    mock.say({ texts: ['I look.'], calls });
    const got = await all(events(name, { tools: TOOLS }));
    expect(sent()).toContain('What get_locks says.');
    const starts = got.filter((event) => event.type === 'tool_use_start');
    expect(starts.map((start) => start.name)).toEqual(['get_load', 'get_locks']);
    const uses = got.filter((event) => event.type === 'tool_use');
    expect(uses).toMatchObject([
      { name: 'get_load', input: { id: 1 } },
      { name: 'get_locks', input: { id: 2 } },
    ]);
    expect(uses.map(({ id }) => id)).toEqual(starts.map(({ id }) => id));
    // The pieces between a start and the next one are its input.
    const texts: string[] = [];
    for (const event of got) {
      if (event.type === 'tool_use_start') texts.push('');
      if (event.type === 'tool_use_delta') texts.push((texts.pop() ?? '') + event.partial);
    }
    expect(texts.map((text) => JSON.parse(text))).toEqual([{ id: 1 }, { id: 2 }]);
    expect(got.at(-1)).toMatchObject({ type: 'done', stop_reason: 'tool_use' });
  });

  it('sends calls and their results back', async () => {
    mock.say({ texts: ['It is locks.'] });
    const messages: ChatMessage[] = [
      user('Why?'),
      {
        role: 'assistant',
        blocks: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'call_1', name: 'get_load', input: { id: 7 }, signature: 'c2ln' },
        ],
      },
      {
        role: 'user',
        blocks: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: 'ninety waits' }],
            is_error: false,
          },
          { type: 'text', text: 'And now?' },
        ],
      },
    ];
    await all(events(name, { messages, tools: TOOLS }));
    for (const part of ['I look.', 'get_load', 'ninety waits', 'And now?']) expect(sent()).toContain(part);
    expect(sent().indexOf('ninety waits')).toBeLessThan(sent().indexOf('And now?'));
    expect(sent()).not.toContain('api.example');
  });

  it('sends what a tool failed with as a failure, in a field or in its text', async () => {
    mock.say({ texts: ['I see.'] });
    const call = { type: 'tool_use', id: 'call_1', name: 'get_load', input: {} } as const;
    const failed = { type: 'tool_result', tool_use_id: 'call_1', is_error: true } as const;
    const text = { type: 'text', text: 'no such server' } as const;
    const picture = { type: 'file', media_type: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;
    for (const content of [[text], [text, picture]]) {
      const messages: ChatMessage[] = [
        user('Why?'),
        { role: 'assistant', blocks: [call] },
        { role: 'user', blocks: [{ ...failed, content }] },
      ];
      await all(events(name, { messages, tools: TOOLS }));
      expect(sent()).toContain('no such server');
      expect(sent()).toMatch(content.length > 1 ? /The tool failed/ : FAILURE[name]);
    }
  });

  it('sends the parameters of a call, and names those that it changes', async () => {
    mock.say({ texts: ['Because'] });
    const more = { temperature: 1.7, stop_sequences: ['END'], max_tokens: 321 };
    const done = (await all(events(name, more))).at(-1);
    for (const part of ['321', 'END', 'Be brief.']) expect(sent()).toContain(part);
    expect(sent()).toMatch(name === 'anthropic' ? /"temperature":1[,}]/ : /"temperature":1\.7/);
    expect(done).toMatchObject({
      warnings: name === 'anthropic' ? ['temperature was set to 1, the limit of this model.'] : [],
    });
  });

  it('says that it was cut at the limit, and takes an unknown reason for the end of a turn', async () => {
    mock.say({ texts: ['Because'], stop: LENGTH[name] });
    expect((await all(events(name))).at(-1)).toMatchObject({ stop_reason: 'max_tokens' });
    mock.say({ texts: ['Because'], stop: 'something_new' });
    expect((await all(events(name))).at(-1)).toMatchObject({ stop_reason: 'end_turn' });
  });

  it.each<[string, MockFault, string, number]>([
    ['429 twice', { kind: 'status', status: 429, retry_after: '0' }, 'rejected', 2],
    ['503 twice', { kind: 'status', status: 503, retry_after: '0' }, 'failed', 2],
    ['500', { kind: 'status', status: 500 }, 'failed', 1],
    ['400', { kind: 'status', status: 400 }, 'rejected', 1],
    ['a reset before the answer, twice', { kind: 'reset' }, 'unreachable', 2],
    ['a stream cut before its first piece, twice', { kind: 'streamed', pieces: 0, ends: 'cut' }, 'failed', 2],
    ['a malformed first piece', { kind: 'streamed', pieces: 0, ends: 'malformed' }, 'failed', 1],
    ['no stream at all', { kind: 'wrong_shape' }, 'failed', 1],
    ['an empty stream', { kind: 'streamed', pieces: 0, ends: 'end' }, 'failed', 1],
  ])('names %s', async (_name, ...[fault, kind, tries]) => {
    mock.failAlways('generate', fault);
    const { got, error } = await failing(events(name));
    expect([got, error.name, error.kind]).toEqual([[], 'OutboundError', kind]);
    expect(mock.generated().length).toBeGreaterThanOrEqual(tries);
    expect(mock.generated().length).toBeLessThanOrEqual(2);
  });

  it('gets over one 429 and over one dropped connection', async () => {
    for (const fault of [
      { kind: 'status', status: 429, retry_after: '0' },
      { kind: 'streamed', pieces: 0, ends: 'cut' },
    ] satisfies MockFault[]) {
      mock.reset();
      mock.failNext('generate', fault);
      mock.say({ texts: ['Because'] });
      expect((await all(events(name)))[0]).toEqual({ type: 'text', text: 'Because' });
      expect(mock.generated()).toHaveLength(2);
    }
  });

  it.each(['cut', 'end', 'malformed'] as const)(
    'never tries again after the first piece: %s',
    async (ends) => {
      const written = vi.spyOn(console, 'warn');
      mock.failAlways('generate', { kind: 'streamed', pieces: name === 'anthropic' ? 4 : 2, ends });
      mock.say({ texts: ['first', 'second', 'third'] });
      const { got, error } = await failing(events(name));
      expect(got[0]).toEqual({ type: 'text', text: 'first' });
      expect(got.some(({ type }) => type === 'done')).toBe(false);
      expect(error.kind).toBe('failed');
      expect(mock.generated()).toHaveLength(1);
      // What it said stays out of the console.
      expect(written).not.toHaveBeenCalled();
    },
  );

  it('waits for a slow first piece, and no longer than it may', async () => {
    mock.say(async () => {
      await delay(150);
      return { texts: ['late'] };
    });
    expect((await all(events(name)))[0]).toEqual({ type: 'text', text: 'late' });
    mock.failAlways('generate', { kind: 'hang' });
    expect((await failing(events(name, {}, { timeout_ms: 100 }))).error.kind).toBe('timeout');
    mock.failAlways('generate', { kind: 'streamed', pieces: 2, ends: 'stall' });
    mock.say({ texts: ['first', 'second', 'third'] });
    expect((await failing(events(name, {}, { timeout_ms: 300 }))).error.kind).toBe('timeout');
  });

  it('leaves the provider as soon as its caller leaves', async () => {
    mock.failAlways('generate', { kind: 'streamed', pieces: 4, ends: 'stall' });
    mock.say({ texts: ['first', 'second', 'third', 'fourth'] });
    const caller = new AbortController();
    const stream = events(name, {}, { signal: caller.signal })[Symbol.asyncIterator]();
    await stream.next();
    const rest = (async () => {
      for (;;) if ((await stream.next()).done) return;
    })();
    const at = performance.now();
    caller.abort(new Error('gone'));
    await expect(rest).rejects.toThrow('gone');
    await expect.poll(() => mock.left.length, { interval: 5 }).toBe(1);
    expect((mock.left[0] ?? Number.NaN) - at).toBeLessThan(2000);
  });

  it('leaves the provider when nobody reads on', async () => {
    mock.failAlways('generate', { kind: 'streamed', pieces: 4, ends: 'stall' });
    mock.say({ texts: ['first', 'second', 'third', 'fourth'] });
    for await (const _event of events(name)) break;
    await expect.poll(() => mock.left.length).toBe(1);
  });
});

describe('what no model says', () => {
  const callsOf = (count: number) =>
    Array.from({ length: count }, (_none, n) => ({
      id: `call_${n}`,
      name: 'get_load',
      pieces: ['{"id": 1}'],
    }));

  it('are calls without end: a thousand of one answer are read, and no more', async () => {
    mock.say({ texts: [], calls: callsOf(1000) });
    const got = await all(events('ollama', { tools: TOOLS }));
    expect(got.filter(({ type }) => type === 'tool_use')).toHaveLength(1000);
    mock.say({ texts: [], calls: callsOf(1001) });
    const { error } = await failing(events('ollama', { tools: TOOLS }));
    expect(error).toMatchObject({ kind: 'failed', details: { code: 'ANSWER_TOO_LONG' } });
  });

  it.each([-1_000_000, 0.5, 1e15])('are %d tokens: that count is unknown', async (took) => {
    mock.say({ texts: ['Yes.'], took });
    const done = (await all(events('ollama'))).at(-1);
    expect(done).toMatchObject({ type: 'done', usage: { input: 100, output: undefined } });
  });
});

describe('what a provider cannot do', () => {
  const image = {
    type: 'file',
    media_type: 'image/png',
    source: { url: 'https://example.com/a.png' },
  } as const;
  const pdf = { type: 'file', media_type: 'application/pdf', source: { data: 'AAAA' } } as const;
  it.each<[ProviderName, Partial<ChatRequest>]>([
    ['anthropic', { response_format: { type: 'json_object' } }],
    ['ollama', { tools: TOOLS, tool_choice: { mode: 'required' } }],
    ['ollama', { tools: TOOLS, tool_choice: { mode: 'specific', name: 'get_load' } }],
    ['ollama', { messages: [{ role: 'user', blocks: [image] }] }],
    ['ollama', { messages: [{ role: 'user', blocks: [pdf] }] }],
    ['openai', { messages: [{ role: 'user', blocks: [{ ...pdf, source: image.source }] }] }],
  ])('%s sends nothing', async (name, request) => {
    const error: NotCapable = await all(events(name, request)).then(
      () => expect.unreachable(),
      (caught) => caught,
    );
    expect(error.name).toBe('NotCapable');
    expect(mock.requests).toEqual([]);
  });

  it('tells the choice of tools in each form', async () => {
    for (const { name } of catalog) {
      await all(events(name, { tools: TOOLS, tool_choice: { mode: 'none' } }));
      if (name === 'ollama') expect(sent()).not.toContain('get_load');
      else {
        await all(events(name, { tools: TOOLS, tool_choice: { mode: 'specific', name: 'get_locks' } }));
        expect(sent().match(/get_locks/g)?.length).toBeGreaterThan(2);
        await all(events(name, { tools: TOOLS, tool_choice: { mode: 'required' } }));
        expect(sent()).toMatch(/"(required|any|ANY)"/);
      }
    }
  });

  it('asks for JSON after a schema, and for images', async () => {
    const schema = {
      type: 'object',
      properties: { cause: { type: 'string' } },
      required: ['cause'],
      additionalProperties: false,
    };
    for (const { name } of catalog) {
      await all(events(name, { response_format: { type: 'json_schema', schema } }));
      expect(sent()).toContain('"cause"');
      const blocks = [{ type: 'file', media_type: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const];
      await all(events(name, { messages: [{ role: 'user', blocks }] }));
      expect(sent()).toContain('iVBORw0KGgo=');
      if (name === 'ollama') continue;
      await all(events(name, { messages: [{ role: 'user', blocks: [image] }] }));
      expect(sent()).toContain('https://example.com/a.png');
    }
    expect(mock.requests.every(({ asked_for }) => asked_for === 'generate')).toBe(true);
  });
});
