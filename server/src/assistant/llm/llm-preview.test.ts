// What the preview says would be sent, against what reaches each provider: the same, and nothing at all by the preview itself.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { CHAT, PROVIDERS, STREAM } from '../../testing/llm/proxy-tests.ts';
import { startWholeApi, type WholeApi } from '../../testing/rooms/whole.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { type AiParts, createAiParts } from '../ai-parts.ts';

const PREVIEW = 'POST /api/v1/llm/preview';
let mock: LlmMock;
let database: TestDatabase;
let ai: AiParts;
let test: WholeApi;
beforeAll(async () => {
  [mock, database] = await Promise.all([startLlmMock({ key: 'key' }), testDatabase()]);
  const api_key = new Secret('key');
  const providers = {
    anthropic: { api_key, base_url: mock.baseUrl('anthropic'), model: 'claude-x' },
    gemini: { api_key, base_url: mock.baseUrl('gemini'), model: 'gemini-x' },
    ollama: { base_url: mock.baseUrl('ollama'), model: 'llama-x' },
    openai: { api_key, base_url: mock.baseUrl('compatible'), model: 'gpt-x' },
  };
  ai = createAiParts({ config: { providers }, db: database.db, clock: systemClock, log: silentLog });
  test = await startWholeApi({ database, services: ai.services });
});
beforeEach(() => mock.reset());
afterAll(async () => {
  for (const part of ai.parts.toReversed()) await part.stop();
  await test.close();
  await mock.stop();
});

const SCHEMA = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const BODY = {
  system_prompt: 'Be brief.',
  messages: [
    { role: 'user', content: "Why is select 1 where a = 'Ann' and b = 4711 slow?" },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'get_load', input: { id: 7 } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_1',
          content: 'mail ann@example.com, password=hunter2secret',
        },
        { type: 'text', text: 'And now?' },
      ],
    },
  ],
  tools: [{ name: 'get_load', description: 'Load.', input_schema: SCHEMA }],
  max_tokens: 50,
  temperature: 0.2,
  stop_sequences: ['END'],
};

it.each(PROVIDERS)('is what reaches %s', async (provider) => {
  const token = test.actors.owner.session;
  const body = { ...BODY, provider };
  const shown = await test.call(PREVIEW, { token, body });
  expect(shown.status, shown.text).toBe(200);
  expect(mock.requests).toHaveLength(0);
  const { request, masked, ...named } = Object(shown.body);
  expect(named).toMatchObject({ provider });
  expect(masked.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['text', 'number', 'email']),
  );
  const said = JSON.stringify(request);
  for (const secret of ['Ann', '4711', 'ann@example.com', 'hunter2secret'])
    expect(said).not.toContain(secret);
  for (const kept of ['Be brief.', 'And now?', 'get_load', 'I look.']) expect(said).toContain(kept);
  for (const line of [CHAT, STREAM]) {
    mock.say({ texts: ['It waits.'] });
    const answer = await test.call(line, { token, body });
    expect(answer.status, answer.text).toBe(200);
    expect(mock.generated().at(-1)?.body, line).toEqual(request);
  }
  expect(mock.generated()).toHaveLength(2);
  expect(mock.generated().every(({ path }) => path.includes(named.model) || said.includes(named.model))).toBe(
    true,
  );
});
