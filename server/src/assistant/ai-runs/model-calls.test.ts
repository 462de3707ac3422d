// Every call of a model: what leaves of it, what it may cost however many ask at once, and what is kept. Providers speak their
// real formats on loopback.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import type { TestApi } from '../../testing/api.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { type AiParts, createAiParts } from '../ai-parts.ts';
import type { Providers } from '../providers/registry.ts';
import type { ChatRequest } from '../providers/support/chat-types.ts';
import { keepCalls } from './keeping.ts';

let mock: LlmMock;
let test: TestApi;
let database: TestDatabase;
const opened: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  [mock, database] = await Promise.all([startLlmMock({ key: 'key' }), testDatabase()]);
  test = await startWholeApi({ database });
});
beforeEach(() => mock.reset());
afterAll(async () => {
  for (const one of opened.toReversed()) await one.stop();
  await test.close();
  await mock.stop();
});

/** As one process has them, on a pool of its own. */
function parts(more: object = {}): AiParts {
  const db = new Database({ url: database.url, log: silentLog, applicationName: 'model calls' });
  const anthropic = { api_key: new Secret('key'), base_url: mock.baseUrl('anthropic'), model: 'claude-x' };
  const config = { providers: { anthropic }, ...more };
  const ai = createAiParts({ config, db, clock: systemClock, log: silentLog });
  opened.push(db, ...ai.parts);
  return ai;
}

const request = (text = 'Hello', max_tokens = 100): ChatRequest => ({
  ...{ system: 'Be brief.', tools: [], stop_sequences: [], max_tokens },
  messages: [{ role: 'user', blocks: [{ type: 'text', text }] }],
  tool_choice: { mode: 'auto' },
  response_format: { type: 'text' },
});

async function ask(providers: Providers, one = request(), signal = new AbortController().signal) {
  const provider = providers.default ?? expect.unreachable();
  const events: unknown[] = [];
  for await (const event of provider.chat(one, { signal, timeout_ms: 10_000 })) events.push(event);
  return events;
}

const calls = (userId: number) =>
  test.db.rows<Record<string, unknown>>(sql`/* test.calls */
    select state, failure, input_tokens, output_tokens, is_estimated, request, answer, masked
    from matriarch.model_calls where user_id = ${userId} order by id`);
const budget = (userId: number) =>
  test.db.one<{ used: number; reserved: number }>(sql`/* test.budget */
    select used, reserved from matriarch.token_budgets where user_id = ${userId}`);

describe('a budget', () => {
  it('holds for two processes that ask at once', async () => {
    const { user_id } = await makeUser(test.db);
    // Each call reserves its 100 tokens and what it sends.
    const both = [parts({ tokens_per_day: 600 }), parts({ tokens_per_day: 600 })];
    const gate = Promise.withResolvers<void>();
    mock.reply(async () => {
      await gate.promise;
      return 'Yes.';
    });
    const asked = Array.from({ length: 20 }, (_none, index) =>
      ask((both[index % 2] ?? expect.unreachable()).calls.of({ user_id, purpose: 'proxy' })).then(
        () => 'done',
        (error: unknown) => Object(error).status,
      ),
    );
    await expect.poll(async () => (await calls(user_id)).length).toBeGreaterThan(2);
    await Promise.race([
      Promise.any(asked.map((one) => one.then((is) => is === 429 || Promise.reject()))),
      gate.promise,
    ]);
    const { reserved } = await budget(user_id);
    expect(reserved).toBeLessThanOrEqual(600);
    gate.resolve();
    const outcomes = await Promise.all(asked);
    const done = outcomes.filter((one) => one === 'done').length;
    expect(done).toBeGreaterThan(1);
    expect(done).toBeLessThan(6);
    expect(outcomes.filter((one) => one === 429)).toHaveLength(20 - done);
    // What was reserved has become what it took: 100 and 20 tokens each, as the provider says.
    expect(await budget(user_id)).toEqual({ used: done * 120, reserved: 0 });
    expect(mock.generated()).toHaveLength(done);
  });

  it('says when it begins anew, and sends nothing once it is used up', async () => {
    const { user_id } = await makeUser(test.db);
    const providers = parts({ tokens_per_day: 150 }).calls.of({ user_id, purpose: 'proxy' });
    await ask(providers);
    const fault = await ask(providers).catch((error: unknown) => error);
    expect(fault).toMatchObject({ status: 429, message: expect.stringMatching(/30 left.* 00:00 UTC/) });
    expect(Object(fault).retryAfterSeconds).toBeGreaterThan(0);
    expect(Object(fault).retryAfterSeconds).toBeLessThanOrEqual(86_400);
    expect(mock.generated()).toHaveLength(1);
    expect(await calls(user_id)).toHaveLength(1);
    // Of everybody's own.
    const other = await makeUser(test.db);
    await ask(parts({ tokens_per_day: 150 }).calls.of({ user_id: other.user_id, purpose: 'proxy' }));
  });

  it('counts nothing for what was refused, and what was sent for what was given up', async () => {
    const { user_id } = await makeUser(test.db);
    const providers = parts().calls.of({ user_id, purpose: 'proxy' });
    mock.failNext('generate', { kind: 'status', status: 403 });
    await expect(ask(providers)).rejects.toThrow();
    expect(await budget(user_id)).toEqual({ used: 0, reserved: 0 });
    expect(await calls(user_id)).toMatchObject([{ state: 'failed', failure: 'rejected' }]);
    const gone = new AbortController();
    mock.failNext('generate', { kind: 'hang' });
    const asked = ask(providers, request('x'.repeat(4000)), gone.signal).catch(() => 'given up');
    await expect.poll(() => mock.generated().length).toBe(2);
    gone.abort();
    expect(await asked).toBe('given up');
    expect(await calls(user_id)).toMatchObject([{}, { state: 'cancelled', is_estimated: true }]);
    const { used, reserved } = await budget(user_id);
    expect(used).toBeGreaterThanOrEqual(1000);
    expect(reserved).toBe(0);
  });

  it('counts what a process had reserved that is gone', async () => {
    const { user_id } = await makeUser(test.db);
    await ask(parts().calls.of({ user_id, purpose: 'proxy' }));
    await test.db.run(sql`/* test.die */
      update matriarch.model_calls set state = 'running', started_at = now() - interval '2 hours'
      where user_id = ${user_id}`);
    await test.db.run(sql`/* test.hold */
      update matriarch.token_budgets set used = 0, reserved = 110 where user_id = ${user_id}`);
    const settings = { keep_calls_days: 1, keep_calls_megabytes: 1 };
    await keepCalls({ db: test.db, clock: systemClock, log: silentLog, ...settings });
    const { used, reserved } = await budget(user_id);
    expect(used).toBeGreaterThan(100);
    expect(reserved).toBeLessThan(10);
    expect(await calls(user_id)).toMatchObject([{ state: 'lost' }]);
    await test.db.run(sql`/* test.age */
      update matriarch.model_calls set started_at = now() - interval '2 days' where user_id = ${user_id}`);
    await keepCalls({ db: test.db, clock: systemClock, log: silentLog, ...settings });
    expect(await calls(user_id)).toEqual([]);
  });
});

it('keeps the beginning of a long answer, and counts all of it', async () => {
  const { user_id } = await makeUser(test.db);
  const piece = 'It waits. '.repeat(1000);
  mock.say({ texts: Array.from({ length: 40 }, () => piece) });
  const events = await ask(parts().calls.of({ user_id, purpose: 'proxy' }));
  expect(events.filter((event) => Object(event).type === 'text')).toHaveLength(40);
  const [kept] = await calls(user_id);
  expect(kept).toMatchObject({ state: 'done', input_tokens: 100, output_tokens: 20 });
  expect(String(kept?.answer)).toMatch(/^\[\{"type":"text","text":"It waits\. It waits/);
  expect(String(kept?.answer)).toHaveLength(256 * 1024 + 1);
  // Without the provider's own count, what was read is counted whole.
  const cut = await makeUser(test.db);
  mock.failNext('generate', { kind: 'streamed', pieces: 43, ends: 'cut' });
  await ask(parts().calls.of({ user_id: cut.user_id, purpose: 'proxy' })).catch(() => undefined);
  expect(await calls(cut.user_id)).toMatchObject([{ state: 'failed', output_tokens: 100_000 }]);
});
