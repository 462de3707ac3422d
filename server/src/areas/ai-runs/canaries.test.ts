// Canaries in everything that a request can be made of: no request that reaches a provider holds one, whichever operation made it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { collected } from '../../testing/store/collected.ts';
import { type AiParts, createAiParts } from '../ai-parts.ts';

const C = 'canary7f3a';
let mock: LlmMock;
let database: TestDatabase;
let ai: AiParts;
let test: TestApi;

beforeAll(async () => {
  [mock, database] = await Promise.all([startLlmMock({ key: 'key' }), testDatabase()]);
  const api_key = new Secret('key');
  const providers = {
    anthropic: { api_key, base_url: mock.baseUrl('anthropic') },
    openai: { api_key, base_url: mock.baseUrl('compatible') },
  };
  const { db } = database;
  ai = createAiParts({ config: { providers }, db, clock: systemClock, log: silentLog });
  test = await startTestApi({ database, services: ai.services });
});
afterAll(async () => {
  for (const part of ai.parts.toReversed()) await part.stop();
  await test.close();
  await mock.stop();
});

/** One of each kind of place, as it stands in texts and in rows. */
const PLANTED = [
  `select * from people where name = '${C}-literal' and note = $$${C}-dollar$$`,
  `alter role app password '${C}-role'`,
  `primary_conninfo = 'host=db password=${C}-conninfo'`,
  `postgres://app:${C}-url@db.example/shop`,
  `LOG: application_name=app token=${C}-application`,
  `ERROR: duplicate key\nDETAIL:  Key (name)=(${C}-log) already exists.`,
  `comment on table t is '${C}-comment'`,
  `Mail ${C}-mail@example.com`,
  `sk-${C}-key-0123456789`,
];
const rows = JSON.stringify({
  statements: [{ query: PLANTED[0], calls: 7 }],
  settings: [
    { name: 'primary_conninfo', setting: `${C}-setting` },
    { name: 'ssl_passphrase_command', setting: `${C}-command` },
  ],
  secrets: { password: `${C}-connection`, webhook_secret: `${C}-channel` },
  sessions: [{ application_name: `api_key=${C}-session`, client_addr: '10.7.3.1' }],
});

const messages = [
  ...PLANTED.map((content) => ({ role: 'user', content })),
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'a', name: 'q', input: { sql: `select 1 where a = '${C}-asked'` } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: rows }] },
];
const tools = [
  {
    name: 'q',
    description: `Asks. token=${C}-tool`,
    input_schema: {
      type: 'object',
      properties: { sql: { type: 'string', default: `password=${C}-default` } },
    },
  },
];

async function plant(): Promise<number> {
  const { db, actors } = test;
  const id = actors.own_connection;
  await db.run(sql`/* test.memory */
    insert into matriarch.memories (
      owner_id, username, scope, category, content, pinned, model_name, created_at, updated_at
    )
    values (null, 'x', 'system', 'fact', ${`The password is ${C}-memory`}, true, 'm', now(), now())`);
  await collected(db, { connection_id: id, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] });
  for (const title of PLANTED)
    await db.run(sql`/* test.alert */
      insert into matriarch.alerts (
        alert_type, raised_by, connection_id, severity, title, description, triggered_at, last_updated
      )
      values ('threshold', ${title}, ${id}, 'critical', ${title}, ${title}, now(), now())`);
  const one = { datname: `token=${C}-database`, database_size_bytes: 5 };
  const databases = JSON.stringify([{ ...one, datid: 5, datistemplate: false, datallowconn: true }]);
  await db.run(sql`/* test.databases */
    insert into metrics.current_snapshots (connection_id, probe, collected_at, attempted_at, outcome, rows)
    values (${id}, 'pg_database', now(), now(), 'ran', ${databases}::jsonb)`);
  return id;
}

it('none leaves', async () => {
  const id = await plant();
  const { port } = await test.api.listen();
  mock.reply('{"summary": "All is well."}');
  const token = test.actors.owner.session;
  const call = async (line: string, body?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await answer.text().catch(() => 'not in time');
    return { line, status: text === 'not in time' ? 599 : answer.status };
  };
  const chat = { messages, tools, system: PLANTED.join('\n'), max_tokens: 100 };
  const done = [
    await call('POST /api/v1/llm/chat', chat),
    await call('POST /api/v1/llm/chat/stream', { ...chat, provider: 'openai' }),
    await call('POST /api/v1/llm/embed', { input: PLANTED }),
    await call('POST /api/v1/llm/rerank', { query: PLANTED[0], documents: [...PLANTED, rows] }),
    await call('POST /api/v1/chat/compact', {
      messages: Array.from({ length: 40 }, (_none, at) => ({
        role: 'user',
        content: `${PLANTED[at % PLANTED.length]} ${'x'.repeat(400)}`,
      })),
      ...{ max_tokens: 2000, recent_window: 2, keep_anchors: false },
      options: { enable_summarization: true, enable_llm_summarization: true },
    }),
    await call('GET /api/v1/overview'),
    await call(`GET /api/v1/server-info/${id}/ai-analysis`),
  ];
  await expect
    .poll(() =>
      test.db.one(sql`/* test.all */
    select count(distinct purpose)::int as purposes from matriarch.model_calls where state <> 'running'`),
    )
    .toEqual({
      purposes: 4,
    });
  expect(done.filter(({ status }) => status >= 400 && status !== 500)).toEqual([]);
  const sent = mock.requests.filter(({ body }) => body !== null).map(({ body }) => JSON.stringify(body));
  expect(sent.length).toBeGreaterThanOrEqual(7);
  for (const text of sent) {
    const at = text.indexOf(C);
    expect(at === -1 ? '' : text.slice(Math.max(0, at - 120), at + 80)).toBe('');
    expect(text).not.toContain('10.7.3.1');
  }
  // What is kept of them is what left.
  const kept = await test.db.rows<{ request: string }>(sql`/* test.kept */
    select request from matriarch.model_calls`);
  expect(kept.every(({ request }) => !request.includes(C))).toBe(true);
  // Names and shapes stay.
  expect(sent[0]).toMatch(/select \* from people where name = '\[text \d+\]'/);
}, 60_000);
