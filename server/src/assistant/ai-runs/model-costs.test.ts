// What calls of models cost by the prices of the configuration: recorded with each call, bounded by a budget that holds for two
// processes, and unknown where nobody has set a price. Providers speak their real formats on loopback.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi, type WholeApi } from '../../testing/rooms/whole.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { type AiParts, createAiParts } from '../ai-parts.ts';
import type { ChatRequest } from '../providers/support/chat-types.ts';
import { keepCalls } from './keeping.ts';

let mock: LlmMock;
let test: WholeApi;
let database: TestDatabase;
const opened: { stop(): Promise<void> }[] = [];
const PRICES = ['anthropic/claude-x=3/15'];
/** Of 100 tokens sent and 20 answered, which is what the mock counts. */
const COST = 0.0006;

beforeAll(async () => {
  [mock, database] = await Promise.all([startLlmMock({ key: 'key' }), testDatabase()]);
  const limited = parts({ prices: PRICES, usd_per_day: 1 });
  test = await startWholeApi({ database, services: limited.services });
});
beforeEach(() => mock.reset());
afterAll(async () => {
  for (const one of opened.toReversed()) await one.stop();
  await test.close();
  await mock.stop();
});

/** As one process has them, on a pool of its own. */
function parts(more: object = {}): AiParts {
  const db = new Database({ url: database.url, log: silentLog, applicationName: 'model costs' });
  const anthropic = { api_key: new Secret('key'), base_url: mock.baseUrl('anthropic'), model: 'claude-x' };
  const ai = createAiParts({
    config: { providers: { anthropic }, ...more },
    ...{ db, clock: systemClock, log: silentLog },
  });
  opened.push(db, ...ai.parts);
  return ai;
}

const request: ChatRequest = {
  ...{ system: 'Be brief.', tools: [], stop_sequences: [], max_tokens: 100 },
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hello' }] }],
  tool_choice: { mode: 'auto' },
  response_format: { type: 'text' },
};

async function ask(ai: AiParts, user_id: number) {
  const provider = ai.calls.of({ user_id, purpose: 'proxy' }).default ?? expect.unreachable();
  const signal = new AbortController().signal;
  return Array.fromAsync(provider.chat(request, { signal, timeout_ms: 10_000 }));
}

async function usageOf(token: string) {
  const { status, body } = await test.call('GET /api/v1/llm/usage', { token });
  expect(status).toBe(200);
  return Object(body);
}

it('is told with the answer, kept with the call and counted for its day, by the price of that time', async () => {
  const { user_id, session: token } = await makeUser(database.db);
  const events = await ask(parts({ prices: PRICES }), user_id);
  expect(events.at(-1)).toMatchObject({ type: 'done', cost_usd: COST });
  await ask(parts({ prices: ['anthropic/*=30/150'] }), user_id);
  const [dear, cheap] = Object((await test.call('GET /api/v1/ai/runs', { token })).body).runs;
  expect([cheap.cost_usd, dear.cost_usd]).toEqual([COST, 0.006]);
  expect(Object((await test.call(`GET /api/v1/ai/runs/${cheap.id}`, { token })).body).cost_usd).toBe(COST);
  expect(await usageOf(token)).toMatchObject({
    usage: [{ calls: 2, cost_usd: 0.0066, unpriced_calls: 0 }],
    budget: { usd_per_day: 1, used_usd: 0.0066, reserved_usd: 0, left_usd: 0.9934 },
  });
});

it('is unknown without a price, and not nothing', async () => {
  const { user_id, session: token } = await makeUser(database.db);
  const events = await ask(parts(), user_id);
  expect(events.at(-1)).not.toHaveProperty('cost_usd');
  expect(await usageOf(token)).toMatchObject({ usage: [{ calls: 1, cost_usd: null, unpriced_calls: 1 }] });
  await ask(parts({ prices: PRICES }), user_id);
  expect(await usageOf(token)).toMatchObject({ usage: [{ calls: 2, cost_usd: COST, unpriced_calls: 1 }] });
});

it('stays within the budget of the day, however many processes ask at once', async () => {
  const { user_id } = await makeUser(database.db);
  // Each reserves its 100 tokens at 15 dollars a million, and what it sends.
  const limit = { prices: PRICES, usd_per_day: 0.005 };
  const both = [parts(limit), parts(limit)];
  const gate = Promise.withResolvers<void>();
  mock.reply(async () => {
    await gate.promise;
    return 'Yes.';
  });
  const asked = Array.from({ length: 12 }, (_none, index) =>
    ask(both[index % 2] ?? expect.unreachable(), user_id).then(
      () => 'done',
      (error: unknown) => Object(error).status,
    ),
  );
  await Promise.any(asked.map((one) => one.then((is) => is === 429 || Promise.reject())));
  const held = await database.db.one<{ held: number }>(sql`/* test.held */
    select reserved_nanodollars as held from matriarch.token_budgets where user_id = ${user_id}`);
  expect(held.held).toBeLessThanOrEqual(5_000_000);
  gate.resolve();
  const outcomes = await Promise.all(asked);
  const done = outcomes.filter((one) => one === 'done').length;
  expect(done).toBeGreaterThan(0);
  // What was reserved becomes what it took, which makes room for some of the others.
  expect(done * COST).toBeLessThanOrEqual(0.005);
  expect(outcomes.filter((one) => one === 429)).toHaveLength(12 - done);
  expect(mock.generated()).toHaveLength(done);
});

it('says what is left once it is used up, and sends nothing', async () => {
  const { user_id } = await makeUser(database.db);
  const ai = parts({ prices: PRICES, usd_per_day: 0.002 });
  await ask(ai, user_id);
  await expect(ask(ai, user_id)).rejects.toMatchObject({
    status: 429,
    message: expect.stringMatching(/^Today's budget of 0\.002 US dollars has 0\.0014 left, .* 00:00 UTC/),
  });
  expect(mock.generated()).toHaveLength(1);
});

it('does not ask a model without a price where the budget is one of money', async () => {
  const { user_id } = await makeUser(database.db);
  await expect(ask(parts({ usd_per_day: 5 }), user_id)).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/no price of anthropic\/claude-x is known.* llm\.prices/),
  });
  expect(mock.generated()).toHaveLength(0);
  await ask(parts({ usd_per_day: 5, prices: ['anthropic/*=0/0'] }), user_id);
  expect(mock.generated()).toHaveLength(1);
});

it('of a process that is gone counts as reserved, in the figures of the day too', async () => {
  const { user_id, session: token } = await makeUser(database.db);
  const ai = parts({ prices: PRICES });
  const gone = new AbortController();
  mock.failNext('generate', { kind: 'hang' });
  const provider = ai.calls.of({ user_id, purpose: 'proxy' }).default ?? expect.unreachable();
  const limits = { signal: gone.signal, timeout_ms: 60_000 };
  const asked = Array.fromAsync(provider.chat(request, limits)).catch(() => 'given up');
  await expect.poll(() => mock.generated().length).toBe(1);
  await database.db.run(sql`/* test.age */
    update matriarch.model_calls set started_at = now() - interval '2 hours' where user_id = ${user_id}`);
  const reserved = (await usageOf(token)).budget.reserved_usd;
  expect(reserved).toBeGreaterThan(100 * 15e-6);
  await keepCalls({
    ...{ db: database.db, clock: systemClock, log: silentLog },
    ...{ keep_calls_days: 1, keep_calls_megabytes: 1 },
  });
  // What ends after it was given up for lost is not counted again.
  gone.abort();
  expect(await asked).toBe('given up');
  expect(await usageOf(token)).toMatchObject({
    usage: [{ calls: 1, cost_usd: reserved, unpriced_calls: 0 }],
    budget: { used_usd: reserved, reserved_usd: 0 },
  });
});
