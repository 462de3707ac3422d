// similarity_search on a real server. The servers of tests have no pgvector: a type of its name that reads what it reads, with an operator
// of its name, stands for it, so that what is shown is the way there and back and not how near something is.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import type { TestApi } from '../../testing/api.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';

let test: TestApi;
let mock: LlmMock;
let server: TestCluster;
let connection_id = 0;

const STAND_IN = [
  'create type public.vector',
  `create function public.vector_in(cstring) returns public.vector language internal immutable strict as 'jsonb_in'`,
  `create function public.vector_out(public.vector) returns cstring language internal immutable strict as 'jsonb_out'`,
  'create type public.vector (input = public.vector_in, output = public.vector_out, like = jsonb)',
  `create function public.distance(public.vector, public.vector) returns integer language internal immutable strict as 'jsonb_cmp'`,
  'create operator public.<=> (leftarg = public.vector, rightarg = public.vector, function = public.distance)',
  'create table public.tickets (id integer primary key, title text, body text, embedding public.vector)',
  `insert into public.tickets values
    (1, 'Login is slow', 'Since the update the login takes a minute', '[0.1, 0.2]'),
    (2, 'Printer', 'The printer is out of paper', '[900, 0.5]'),
    (3, 'No vector', 'Nothing', null)`,
  'create table public.plain (id integer primary key, body text)',
];

beforeAll(async () => {
  mock = await startLlmMock({ key: 'sk-similar' });
  const openai = { api_key: new Secret('sk-similar'), base_url: mock.baseUrl('compatible') };
  test = await startWholeApi({ llm: { providers: { openai } } });
  server = await startCluster();
  await server.query('create database bare');
  for (const text of STAND_IN) await server.query(text);
  const { host, port, superuser: username, password } = server;
  const made = await test.call('POST /api/v1/connections', {
    token: test.actors.superuser.session,
    body: { name: 'real', host, port, username, password, database_name: 'postgres', ssl_mode: 'disable' },
  });
  connection_id = JSON.parse(made.text).id;
}, 60_000);
afterAll(async () => {
  await test.close();
  await mock.stop();
  await server.stop();
});

async function call(input: object) {
  const { body } = await test.call('POST /api/v1/mcp/tools/call', {
    token: test.actors.superuser.session,
    body: { name: 'similarity_search', arguments: { connection_id, query_text: 'slow login', ...input } },
  });
  const { content, isError = false } = Object(body);
  return { text: String(content[0].text), isError: Boolean(isError) };
}

it('answers passages of rows with their keys and distances', async () => {
  const { text, isError } = await call({ table_name: 'public.tickets' });
  expect([isError, text]).toEqual([false, text]);
  const [about, , , head, ...rows] = text.split('\n');
  expect(about).toBe(`2 passages of public.tickets on connection ${connection_id}, by embedding`);
  expect(head).toBe('row\tdistance\ttext');
  expect(rows[0]).toMatch(/^id=1\t-?\d\tLogin is slow\\nSince the update/);
  expect(text).not.toContain('No vector');
});

it('is as long as was asked for', async () => {
  expect((await call({ table_name: 'tickets', top_n: 1 })).text.split('\n')).toHaveLength(5);
  expect((await call({ table_name: 'tickets', output_format: 'ids_only' })).text).toMatch(
    /\nrow\tdistance\nid=/,
  );
});

it('says what there is instead, and where there is none', async () => {
  expect(await call({ table_name: 'plain' })).toEqual({
    isError: true,
    text: 'plain has no column of pgvector. These have: public.tickets.',
  });
  const { isError, text } = await call({ table_name: 'tickets', database_name: 'bare' });
  expect([isError, text]).toEqual([
    true,
    expect.stringMatching(/^No table of this database has a column of pgvector/),
  ]);
  expect((await call({ table_name: `x" where true --` })).isError).toBe(true);
});

it('says what the server says of an operator that it has not', async () => {
  const { isError, text } = await call({ table_name: 'tickets', distance_metric: 'l2' });
  expect([isError, text]).toEqual([true, expect.stringContaining('operator')]);
});
