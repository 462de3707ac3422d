// Compaction through HTTP: defaults, what adds up, and who writes the summary.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi, type WholeApi } from '../../testing/rooms/whole.ts';
import { type AiParts, createAiParts } from '../ai-parts.ts';

let plain: WholeApi;
let modelled: WholeApi;
let mock: LlmMock;
let parts: AiParts;
beforeAll(async () => {
  mock = await startLlmMock({ key: 'key' });
  const anthropic = { api_key: new Secret('key'), base_url: mock.baseUrl('anthropic') };
  plain = await startWholeApi();
  const config = { providers: { anthropic } };
  parts = createAiParts({ config, db: plain.db, clock: systemClock, log: silentLog });
  modelled = await startWholeApi({ services: { compacting: parts.services.compacting } });
});
afterAll(async () => {
  for (const part of parts.parts.toReversed()) await part.stop();
  await plain.close();
  await modelled.close();
  await mock.stop();
});

const messages = Array.from({ length: 40 }, (_none, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `Message ${n} about locks. ${'x'.repeat(400)}`,
}));

async function compacted(test: WholeApi, body: object) {
  const answer = await test.call('POST /api/v1/chat/compact', { token: test.actors.owner.session, body });
  expect(answer.status, answer.text).toBe(200);
  return Object(answer.body);
}

describe('a history', () => {
  it('that is small comes back as it is', async () => {
    const few = messages.slice(0, 4);
    const { summary, ...rest } = await compacted(plain, { messages: few });
    expect(summary).toBeUndefined();
    expect(rest).toMatchObject({
      messages: few,
      compaction_info: {
        original_count: 4,
        compacted_count: 4,
        dropped_count: 0,
        tokens_saved: 0,
        compression_ratio: 1,
      },
    });
  });

  it('that is long is brought under the limit, and the counts add up', async () => {
    const answer = await compacted(plain, { messages, max_tokens: 2000, recent_window: 4 });
    const { compaction_info: info, token_estimate } = answer;
    expect(token_estimate).toBeLessThanOrEqual(2000);
    expect(info.compacted_count + info.dropped_count).toBe(40);
    expect(answer.messages).toHaveLength(info.compacted_count);
    expect(answer.summary).toMatchObject({ topics: ['locks'], tools: [] });
  });

  it('may hold a summary in place of what went, which is not counted', async () => {
    const options = {
      enable_summarization: true,
      enable_caching: true,
      cache_ttl: 5,
      token_counter_type: 'any',
    };
    const answer = await compacted(plain, { messages, max_tokens: 2000, options });
    const { compaction_info: info } = answer;
    expect(answer.token_estimate).toBeLessThanOrEqual(2000);
    expect(answer.messages).toHaveLength(info.compacted_count + 1);
    expect(answer.messages[1]).toMatchObject({
      role: 'assistant',
      content: expect.stringMatching(/^Summary of what was left out: /),
    });
  });

  it.each([
    ['no messages', { messages: [] }, 'messages must hold at least one message.'],
    ['too small a limit', { messages, max_tokens: 999 }, 'max_tokens must be an integer of at least 1000.'],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content is missing.'],
  ])('is refused with %s', async (_what, body, sentence) => {
    const answer = await plain.call('POST /api/v1/chat/compact', { token: plain.actors.owner.session, body });
    expect([answer.status, answer.error]).toEqual([400, sentence]);
  });
});

describe('a model', () => {
  const body = {
    messages,
    max_tokens: 2000,
    options: { enable_summarization: true, enable_llm_summarization: true },
  };

  it('writes the summary only where it is asked to', async () => {
    mock.reply(JSON.stringify({ summary: 'Locks on orders.' }));
    const told = await compacted(modelled, body);
    expect(told.messages[1].content).toBe('Summary of what was left out: Locks on orders.');
    await compacted(modelled, { ...body, options: { enable_summarization: true } });
    expect(mock.generated()).toHaveLength(1);
  });

  it('that fails leaves it to the rules', async () => {
    mock.failAlways('generate', { kind: 'status', status: 500 });
    const told = await compacted(modelled, body);
    expect(told.messages[1].content).toContain('earlier messages about locks');
  });
});
