// Canaries in everything that a request can be made of: no request that reaches a provider holds one, whichever operation made it.
// Guards: each purpose, each kind of call and each place in the sources that calls a provider is reached by one of the ways here.
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import type { TestApi } from '../../testing/api.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { datastoreServer } from '../../testing/servers/postgres.ts';
import { collected } from '../../testing/store/collected.ts';
import { KINDS, PURPOSES } from './ledger.ts';

const C = 'canary7f3a';
let mock: LlmMock;
let test: TestApi;
let url = '';
let real = 0;

beforeAll(async () => {
  mock = await startLlmMock({ key: 'key' });
  const api_key = new Secret('key');
  const providers = {
    anthropic: { api_key, base_url: mock.baseUrl('anthropic') },
    openai: { api_key, base_url: mock.baseUrl('compatible') },
  };
  test = await startWholeApi({ llm: { providers } });
  ({ url } = await test.api.listen());
  const { host, port, superuser: username, password } = datastoreServer();
  const connection = { name: 'real', host, port, username, password, database_name: 'postgres' };
  const { text } = await test.call('POST /api/v1/connections', {
    token: test.actors.superuser.session,
    body: { ...connection, ssl_mode: 'disable' },
  });
  real = JSON.parse(text).id;
});
afterAll(async () => {
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

async function call(line: string, body?: object): Promise<Response> {
  const [method = '', path = ''] = line.split(' ');
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${test.actors.superuser.session}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
}
const ask = async (line: string, body?: object) => {
  const response = await call(line, body);
  const text = await response.text();
  if (response.status >= 400) throw new Error(`${line}: ${response.status} ${text}`);
  return text;
};
const tool = (name: string, input: object) => ask('POST /api/v1/mcp/tools/call', { name, arguments: input });

/** Asks twice in one conversation: with things pointed at, with a tool that answers canaries, and with all of that behind it. */
async function talk(): Promise<void> {
  const planted = PLANTED.map((text) => `$c$${text}$c$`).join(', ');
  const query = `select x, length(x) as rolpassword_length from unnest(array[${planted}, $c$${rows}$c$]) x`;
  const pieces = [JSON.stringify({ connection_id: real, query })];
  let [count, answered] = [0, ''];
  mock.say(({ body }) => {
    answered = JSON.stringify(body);
    count += 1;
    return count === 1
      ? {
          texts: [`I look for password=${C}-said.`],
          calls: [{ id: 'toolu_1', name: 'query_database', pieces }],
        }
      : { texts: [`Found: ${PLANTED.join('\n')}`] };
  });
  const about = { kind: 'setting', name: 'primary_conninfo', value: `${C}-about`, texts: PLANTED, rows };
  const scope = { kind: 'server', id: real };
  const first = await ask('POST /api/v1/chat', {
    ...{ message: PLANTED.join('\n'), about, scope, page: `/x?token=${C}-page` },
  });
  expect(answered).toContain('rolpassword_length');
  const conversation_id = /"conversation_id":"([^"]+)"/.exec(first)?.[1];
  await ask('POST /api/v1/chat', { message: `The secret is ${C}-second`, conversation_id, scope });
  expect(answered).toContain('Found: ');
}

const chat = { messages, tools, system: PLANTED.join('\n'), max_tokens: 100 };
const picture = Buffer.from(PLANTED.join('\n')).toString('base64');
/** An image whose bytes are a text stands for files that are called what they are not. */
const files = [
  { type: 'image', image: { url: `https://example.com/a.png?sig=${C}-address` } },
  { type: 'image', image: { data: picture, media_type: 'image/png' } },
  { type: 'document', document: { data: picture, media_type: 'text/plain', filename: `token=${C}-file` } },
];
const inputs = [
  {
    content: [
      ...PLANTED.map((text) => ({ type: 'text', text })),
      { type: 'image_url', image_url: `https://example.com/a.png?token=${C}-image` },
      { type: 'image_base64', image_base64: picture, mime_type: 'image/png' },
    ],
  },
];
const compacted = {
  messages: Array.from({ length: 40 }, (_none, at) => ({
    role: 'user',
    content: `${PLANTED[at % PLANTED.length]} ${'x'.repeat(400)}`,
  })),
  ...{ max_tokens: 2000, recent_window: 2, keep_anchors: false },
  options: { enable_summarization: true, enable_llm_summarization: true },
};

interface Way {
  /** As it is in `model_calls`: purpose and kind. */
  leaves: string;
  go(): Promise<unknown>;
}

const WAYS: Record<string, Way> = {
  'POST /api/v1/llm/chat': {
    leaves: 'proxy chat',
    go: () =>
      ask('POST /api/v1/llm/chat', { ...chat, messages: [...messages, { role: 'user', content: files }] }),
  },
  'POST /api/v1/llm/chat/stream': {
    leaves: 'proxy chat',
    go: () => ask('POST /api/v1/llm/chat/stream', { ...chat, provider: 'openai' }),
  },
  'POST /api/v1/llm/embed': {
    leaves: 'proxy embed',
    go: () => ask('POST /api/v1/llm/embed', { input: PLANTED }),
  },
  'POST /api/v1/llm/embed/multimodal': {
    leaves: 'proxy embed',
    go: () => ask('POST /api/v1/llm/embed/multimodal', { provider: 'openai', inputs }),
  },
  'POST /api/v1/llm/rerank': {
    leaves: 'proxy rerank',
    go: () => ask('POST /api/v1/llm/rerank', { query: PLANTED[0], documents: [...PLANTED, rows] }),
  },
  'the tool generate_embedding': {
    leaves: 'proxy embed',
    go: () => tool('generate_embedding', { text: PLANTED.join('\n') }),
  },
  'the tool search_knowledgebase': {
    leaves: 'proxy embed',
    go: () => tool('search_knowledgebase', { query: `checkpoint password=${C}-knowledge` }),
  },
  'POST /api/v1/chat/compact': {
    leaves: 'compaction generate',
    go: () => ask('POST /api/v1/chat/compact', compacted),
  },
  'GET /api/v1/overview': { leaves: 'overview generate', go: () => ask('GET /api/v1/overview') },
  'GET /api/v1/server-info/{id}/ai-analysis': {
    leaves: 'ai_analysis generate',
    go: () => ask(`GET /api/v1/server-info/${test.actors.own_connection}/ai-analysis`).catch(() => ''),
  },
  'POST /api/v1/chat': { leaves: 'chat chat', go: talk },
};

/** Calls after that one, which have ended. */
const left = (after = 0) =>
  test.db.rows<{ way: string; request: string }>(sql`/* test.left */
    select purpose || ' ' || kind as way, request from matriarch.model_calls
    where state <> 'running' and id > ${after}::int`);
const last = () =>
  test.db.one<{ id: number }>(sql`/* test.last */
    select coalesce(max(id), 0)::int as id from matriarch.model_calls`);
const sent = () => mock.requests.flatMap(({ body }) => (body === null ? [] : [JSON.stringify(body)]));
/** With what is said in base64. */
const readable = (text: string) =>
  [
    text,
    ...(text.match(/[A-Za-z0-9+/]{40,}={0,2}/g) ?? []).map((one) => Buffer.from(one, 'base64').toString()),
  ].join('\n');

function demandClean(text: string): void {
  const said = readable(text);
  const at = said.indexOf(C);
  expect(at === -1 ? '' : said.slice(Math.max(0, at - 120), at + 80)).toBe('');
  expect(said).not.toContain('10.7.3.1');
}

it('none leaves, whichever way is gone', async () => {
  await plant();
  mock.reply('{"summary": "All is well."}');
  for (const [name, { leaves, go }] of Object.entries(WAYS)) {
    const [{ id }, requests] = [await last(), sent().length];
    await go();
    await expect.poll(async () => (await left(id)).map(({ way }) => way)).toContain(leaves);
    const fresh = sent().slice(requests);
    expect(fresh, name).not.toEqual([]);
    for (const text of fresh) demandClean(text);
    // Something was there to be masked.
    expect(fresh.map(readable).join('\n'), name).toMatch(/\[(?:secret|text) \d+\]/);
  }
  const kept = await left();
  // What is kept of them is what left.
  for (const { request } of kept) demandClean(request);
  // Whoever adds a purpose or a kind of call adds a way with canaries to it.
  const ways = kept.map(({ way }) => way.split(' '));
  expect(new Set(ways.map(([purpose]) => purpose))).toEqual(new Set(PURPOSES));
  expect(new Set(ways.map(([, kind]) => kind))).toEqual(new Set(KINDS));
  // Names and shapes stay.
  expect(sent()[0]).toMatch(/select \* from people where name = '\[text \d+\]'/);
}, 60_000);

/** Places that call a provider or something that does, and the ways above that go through them. */
const CALLERS: Record<string, string[]> = {
  'assistant/ai-runs/model-calls.service.ts': ['all of them'],
  'assistant/chat/compact.service.ts': ['POST /api/v1/chat/compact'],
  'assistant/chat/run-loop.ts': ['POST /api/v1/chat'],
  'assistant/llm/llm-chat.service.ts': ['POST /api/v1/llm/chat', 'POST /api/v1/llm/chat/stream'],
  'assistant/llm/llm-preview.service.ts': ['none, it sends nothing'],
  'assistant/llm/llm-vectors.service.ts': [
    'POST /api/v1/llm/embed',
    'POST /api/v1/llm/embed/multimodal',
    'POST /api/v1/llm/rerank',
  ],
  'assistant/llm/llm.routes.ts': ['POST /api/v1/llm/chat', 'POST /api/v1/llm/embed'],
  'insight/overview/model-summaries.service.ts': ['GET /api/v1/overview'],
  'estate/server-info/ai-analysis.service.ts': ['GET /api/v1/server-info/{id}/ai-analysis'],
  'assistant/knowledge/meaning.ts': ['the tool search_knowledgebase'],
  'assistant/tools/generate-embedding.ts': ['the tool generate_embedding'],
  // As the tool before it, and needs pgvector on the monitored server.
  'assistant/tools/similarity-search.ts': ['the tool generate_embedding'],
  'assistant/tools/support/embeddings.ts': ['the tool generate_embedding'],
};

it('no other place calls a provider', () => {
  const root = new URL('../../', import.meta.url);
  const files = globSync(
    '{identity,history,estate,alerting,insight,assistant,kernel,cli,collector,api,app}/**/*.ts',
    {
      cwd: root,
      exclude: (name) => name.endsWith('.test.ts') || name.startsWith('assistant/providers/'),
    },
  );
  const CALL =
    /\b(?:provider|providers\.default|proxy|embedder|embeddings\.of\(\w+\))[!?]?\s*\.(?:chat|generate|embed|rank|embedMultimodal)\(/;
  const found = files.filter((name) => CALL.test(readFileSync(new URL(name, root), 'utf8')));
  expect(found.toSorted()).toEqual(Object.keys(CALLERS).toSorted());
});
