// Reading calls of models back through HTTP: one's own, as they were sent; what was used; and what would leave.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi, type WholeApi } from '../../testing/rooms/whole.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { type AiParts, createAiParts } from '../ai-parts.ts';

let mock: LlmMock;
let database: TestDatabase;
let ai: AiParts;
let test: WholeApi;
beforeAll(async () => {
  [mock, database] = await Promise.all([startLlmMock({ key: 'key' }), testDatabase()]);
  const openai = { api_key: new Secret('key'), base_url: mock.baseUrl('compatible') };
  const config = { providers: { openai } };
  ai = createAiParts({ config, db: database.db, clock: systemClock, log: silentLog });
  test = await startWholeApi({ database, services: ai.services });
});
afterAll(async () => {
  for (const part of ai.parts.toReversed()) await part.stop();
  await test.close();
  await mock.stop();
});

const body = { messages: [{ role: 'user', content: "select 1 where a = 'Ann'" }], max_tokens: 50 };

it('shows what would leave, then reads back that this is what left', async () => {
  const [ada, bob] = [await makeUser(database.db), await makeUser(database.db)];
  const token = ada.session;
  const shown = await test.call('POST /api/v1/llm/preview', { token, body });
  expect(shown.status, shown.text).toBe(200);
  expect(mock.requests).toHaveLength(0);
  expect(Object(shown.body).masked).toEqual([
    { kind: 'text', values: 1, reason: 'a text constant of a statement' },
    { kind: 'number', values: 1, reason: 'a number constant of a statement' },
  ]);
  mock.reply('It waits.');
  const answer = await test.call('POST /api/v1/llm/chat', { token, body });
  expect(answer.status, answer.text).toBe(200);
  expect(mock.generated().at(-1)?.body).toEqual(Object(shown.body).request);
  const listed = await test.call('GET /api/v1/ai/runs', { token });
  const [run] = Object(listed.body).runs;
  expect(run).toMatchObject({ kind: 'chat', purpose: 'proxy', state: 'done', username: ada.username });
  const read = await test.call(`GET /api/v1/ai/runs/${run.id}`, { token });
  expect(JSON.parse(Object(read.body).request)).toEqual(Object(shown.body).request);
  expect(Object(read.body)).toMatchObject({
    masked: { text: 1, number: 1 },
    answer: [{ type: 'text', text: 'It waits.' }, {}],
  });
  const other = await test.call(`GET /api/v1/ai/runs/${run.id}`, { token: bob.session });
  expect(other.status).toBe(404);
  // What it was told may be of any connection of hers.
  const scope = { connections: [{ connection_id: 1, level: 'read' as const }] };
  const limited = await makeToken(database.db, ada.user_id, { scope });
  const hidden = await test.call(`GET /api/v1/ai/runs/${run.id}`, { token: limited });
  expect(hidden.body).toMatchObject({ id: run.id, request: null, answer: null });
  const admin = await test.call(`GET /api/v1/ai/runs/${run.id}`, { token: test.actors.superuser.session });
  expect(admin.status).toBe(200);
  const use = await test.call('GET /api/v1/llm/usage', { token });
  const { input_tokens, output_tokens, calls } = Object(use.body).usage[0];
  expect(calls).toBe(1);
  expect(Object(use.body).budget).toMatchObject({
    used: input_tokens + output_tokens,
    reserved: 0,
    tokens_per_day: 2_000_000,
  });
  expect((await test.call('GET /api/v1/llm/usage', { token: bob.session })).body).toMatchObject({
    usage: [],
  });
  expect((await test.call('GET /api/v1/llm/usage?all=true', { token: bob.session })).status).toBe(403);
  const all = await test.call('GET /api/v1/llm/usage?all=true', { token: test.actors.superuser.session });
  expect(Object(all.body).usage).toContainEqual(expect.objectContaining({ username: ada.username }));
});
