// The protocol and its mirror through HTTP: every rule of the revisions that no client shows by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Actor, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';

let test: TestApi;
/** A person who holds these privileges. */
let ada: Actor;
beforeAll(async () => {
  test = await startWholeApi();
  ada = await makeUser(test.db);
  await makeGroup(test.db, {
    users: [ada.user_id],
    mcp: ['list_connections', 'read_resource', 'pg://connection_info', 'pg://system_info'],
  });
});
afterAll(() => test.close());

type Headers = Record<string, string>;

async function post(body: unknown, headers: Headers = {}, token = ada.session) {
  const { status, body: answer, text } = await test.call('POST /mcp/v1', { token, body, headers });
  return { status, text, answer: Object(answer) };
}

const request = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  ...(params && { params }),
});
const ask = (method: string, params?: object, headers?: Headers) => post(request(method, params), headers);

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const json = { 'content-type': 'application/json' };
const stateless = (method: string, more: Headers = {}): Headers => ({
  ...{ ...json, 'mcp-protocol-version': VERSION, 'mcp-method': method },
  ...more,
});
const askStateless = (method: string, params: object = {}, more: Headers = {}) =>
  post(request(method, { ...params, _meta: META }), stateless(method, more));

const PUBLIC = ['delete_memory', 'recall_memories', 'store_memory'];

describe('the mirror', () => {
  const tools = async (token: string) =>
    Object((await test.call('GET /api/v1/mcp/tools', { token })).body).tools;
  const names = async (token: string) => (await tools(token)).map(({ name }: { name: string }) => name);
  const call = async (token: string, name: string, input: object = {}) => {
    const { status, body } = await test.call('POST /api/v1/mcp/tools/call', {
      token,
      body: { name, arguments: input },
    });
    expect(status).toBe(200);
    const { content, isError } = Object(body);
    return { text: String(content[0].text), isError };
  };

  it('lists by name what the caller may use, and a scope cuts the public ones too', async () => {
    expect(await names(ada.session)).toEqual(expect.arrayContaining(['list_connections', ...PUBLIC]));
    const bob = await names(test.actors.other.session);
    expect(bob).toEqual(expect.arrayContaining(PUBLIC));
    expect(bob).not.toContain('list_connections');
    expect(bob).toEqual([...bob].sort());
    const one = await makeToken(test.db, ada.user_id, {
      scope: { mcp: ['list_connections', 'query_metrics'] },
    });
    expect(await names(one)).toEqual(['list_connections']);
    const none = await makeToken(test.db, test.actors.superuser.user_id, { scope: { mcp: [] } });
    expect(await names(none)).toEqual([]);
    const [tool] = await tools(one);
    expect(Object.keys(tool)).toEqual(['name', 'description', 'compactDescription', 'inputSchema', 'reach']);
  });

  it('answers a denied, an unknown, a wrong and a failing call with isError, and remembers the denied one', async () => {
    expect(await call(ada.session, 'list_connections')).toMatchObject({ isError: undefined });
    const denied = await call(test.actors.other.session, 'list_connections');
    expect(denied).toMatchObject({ isError: true });
    expect(denied.text).toMatch(/Ask for the MCP privilege list_connections/);
    const [row] = await test.db.rows(sql`/* test.refused */
      select actor_name, target_name from matriarch.audit_events
      where outcome = 'refused' and target_kind = 'tool'`);
    expect(row).toEqual({ actor_name: test.actors.other.username, target_name: 'list_connections' });
    expect(await call(ada.session, 'no_such_tool')).toMatchObject({ isError: true });
    const wrong = await call(ada.session, 'delete_memory', { id: 'x' });
    expect(wrong).toEqual({ isError: true, text: expect.stringMatching(/^id must be an integer/) });
    const failing = await call(ada.session, 'delete_memory', { id: 999 });
    expect(failing).toEqual({ isError: true, text: 'There is no such memory.' });
    const bad = await test.call('POST /api/v1/mcp/tools/call', { token: ada.session, body: { name: '' } });
    expect(bad.status).toBe(400);
  });
});

it('negotiates the version, also with a client that asks in one of the future', async () => {
  for (const future of ['2027-03-01', 'nonsense']) {
    const headers = { 'mcp-protocol-version': future, 'content-type': 'application/json' };
    const body = (method: string) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { protocolVersion: future } });
    const asked = (method: string) =>
      test.call('POST /mcp/v1', { token: ada.session, body: body(method), headers });
    const hello = await asked('initialize');
    expect([hello.status, Object(hello.body).result?.protocolVersion]).toEqual([200, '2025-11-25']);
    const later = await asked('ping');
    expect([later.status, Object(later.body).error?.code]).toEqual([400, -32600]);
  }
});

describe('every message', () => {
  it('is JSON and a request, or is told so with its id', async () => {
    const broken = await post('{', json);
    expect([broken.status, broken.answer.error.code, broken.answer.id]).toEqual([400, -32700, null]);
    const none = await test.call('POST /mcp/v1', { token: ada.session });
    expect([none.status, Object(none.body).error.code]).toEqual([400, -32700]);
    for (const body of [1, {}, { id: 3, method: 'ping' }, { jsonrpc: '2.0', id: 3, result: {} }]) {
      const { status, answer } = await post(JSON.stringify(body), json);
      expect([status, answer.error.code]).toEqual([400, -32600]);
      expect(answer.id).toBe(typeof body === 'object' && 'id' in body ? 3 : null);
    }
    for (const odd of [{ id: null }, { id: {} }, { params: [] }]) {
      const { status, answer } = await post({ jsonrpc: '2.0', id: 1, method: 'ping', ...odd });
      expect([status, answer.error.code]).toEqual([400, -32600]);
    }
  });

  it('has its type, its size and its caller checked as anywhere', async () => {
    const typed = await test.call('POST /mcp/v1', {
      token: ada.session,
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    expect([typed.status, typed.error]).toEqual([415, 'The Content-Type must be application/json.']);
    const large = await post(request('ping', { text: 'x'.repeat(1024 * 1024) }));
    expect(large.status).toBe(413);
    expect((await test.call('POST /mcp/v1', { body: request('ping') })).status).toBe(401);
    const site = { cookie: ada.session, headers: { origin: 'https://elsewhere.example' } };
    expect((await test.call('POST /mcp/v1', { ...site, body: request('ping') })).status).toBe(403);
    for (const method of ['GET', 'DELETE'])
      expect((await test.call(`${method} /mcp/v1`, { token: ada.session })).status).toBe(405);
  });

  it('without an id is a notification: 202 and nothing more', async () => {
    const { status, text } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
    expect((await post({ jsonrpc: '2.0', method: 'notifications/x' }, stateless('x'))).status).toBe(202);
  });

  it('gets its id back and no session', async () => {
    for (const id of ['a', 0, -1.5])
      expect((await post({ ...request('ping'), id })).answer).toEqual({ jsonrpc: '2.0', id, result: {} });
    const { headers } = await test.call('POST /mcp/v1', {
      token: ada.session,
      body: request('initialize', {}),
      headers: { 'mcp-session-id': 'x', 'last-event-id': '4', accept: 'text/html' },
    });
    expect(headers['mcp-session-id']).toBeUndefined();
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers.link).toBeDefined();
  });
});

describe('the handshake revisions', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    '%s is answered as asked',
    async (version) => {
      const { answer } = await ask('initialize', { protocolVersion: version });
      expect(answer.result).toEqual({
        protocolVersion: version,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'Matriarch', version: '0.0.0-test' },
        instructions: expect.stringContaining('never instructions'),
      });
      const listed = await ask('tools/list', undefined, { ...json, 'mcp-protocol-version': version });
      expect(listed.status).toBe(200);
    },
  );

  it('answer the newest for one that nobody knows, and refuse its header', async () => {
    for (const protocolVersion of ['1999-01-01', VERSION, undefined])
      expect((await ask('initialize', { protocolVersion })).answer.result.protocolVersion).toBe('2025-11-25');
    const { status, answer } = await ask('ping', {}, { ...json, 'mcp-protocol-version': '1999-01-01' });
    expect([status, answer.id, answer.error.code]).toEqual([400, 7, -32600]);
  });

  it('say with 200 what is wrong with a request', async () => {
    const wrong: [string, object, number][] = [
      ['nothing/known', {}, -32601],
      ['server/discover', {}, -32601],
      ['tools/call', { name: 'no_such_tool' }, -32602],
      ['tools/call', {}, -32602],
      ['tools/call', { name: 'list_connections', arguments: [] }, -32602],
      ['tools/list', { cursor: 'x' }, -32602],
      ['prompts/get', { name: 'x' }, -32602],
      ['resources/read', { uri: 'pg://nothing' }, -32002],
    ];
    for (const [method, params, code] of wrong) {
      const { status, answer } = await ask(method, params);
      expect([status, answer.error?.code, method]).toEqual([200, code, method]);
    }
  });

  it('take lists of messages only where that is part of the revision', async () => {
    const both = [
      request('ping'),
      { jsonrpc: '2.0', method: 'notifications/x' },
      { ...request('x'), id: 8 },
      5,
    ];
    for (const headers of [json, { ...json, 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, answer } = await post(both, headers);
      expect(status).toBe(200);
      expect(
        answer.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code]),
      ).toEqual([
        [7, undefined],
        [8, -32601],
        [null, -32600],
      ]);
    }
    expect((await post([{ jsonrpc: '2.0', method: 'notifications/x' }])).status).toBe(202);
    for (const [body, headers] of [
      [both, { ...json, 'mcp-protocol-version': '2025-06-18' }],
      [both, stateless('ping')],
      [[], json],
      [Array.from({ length: 101 }, () => request('ping')), json],
    ] as const) {
      const { status, answer } = await post(body, headers);
      expect([status, answer.error.code]).toEqual([400, -32600]);
    }
    const [mixed] = (await post([request('tools/list', { _meta: META })])).answer;
    expect(mixed.error.code).toBe(-32600);
  });

  it('list and read resources whose identifier the caller holds', async () => {
    const { answer } = await ask('resources/list');
    expect(answer.result.resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      'pg://system_info',
      'pg://connection_info',
    ]);
    const read = await ask('resources/read', { uri: 'pg://connection_info' });
    const [content] = read.answer.result.contents;
    expect(content).toEqual({
      uri: 'pg://connection_info',
      mimeType: 'application/json',
      text: '{"connected":false}',
    });
    const none = await ask('resources/read', { uri: 'pg://system_info' });
    expect(none.answer.error.message).toMatch(/^No connection is selected/);
    const bob = await post(request('resources/list'), {}, test.actors.other.session);
    expect(bob.answer.result).toEqual({ resources: [] });
    const hidden = await post(
      request('resources/read', { uri: 'pg://connection_info' }),
      {},
      test.actors.other.session,
    );
    expect(hidden.answer.error.code).toBe(-32002);
    expect((await ask('resources/templates/list')).answer.result).toEqual({ resourceTemplates: [] });
    expect((await ask('prompts/list')).answer.result).toEqual({ prompts: [] });
  });

  it('tell of the selected connection', async () => {
    const { owner, own_connection: connection_id } = test.actors;
    await makeGroup(test.db, {
      users: [owner.user_id],
      mcp: ['read_resource', 'pg://connection_info', 'pg://system_info'],
    });
    const token = owner.session;
    await test.call('POST /api/v1/connections/current', {
      token,
      body: { connection_id, database_name: 'shop' },
    });
    const info = await post(request('resources/read', { uri: 'pg://connection_info' }), {}, token);
    expect(JSON.parse(info.answer.result.contents[0].text)).toMatchObject({
      ...{ connected: true, connection_id, database_name: 'shop', access_level: 'read_write' },
    });
    const system = await post(
      request('tools/call', { name: 'read_resource', arguments: { uri: 'pg://system_info' } }),
      {},
      token,
    );
    const facts = JSON.parse(system.answer.result.content[0].text);
    expect(Object.keys(facts)).toEqual([
      ...[
        'postgresql_version',
        'version_number',
        'full_version',
        'operating_system',
        'architecture',
        'compiler',
      ],
      ...['bit_version', 'database', 'user', 'host', 'port'],
    ]);
    expect(facts).toMatchObject({ postgresql_version: null, database: 'shop' });
  });
});

describe('the stateless revision', () => {
  it('discovers, and says of each result who made it and how long it may be kept', async () => {
    const { status, answer } = await askStateless('server/discover');
    const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'Matriarch', version: '0.0.0-test' } };
    expect(status).toBe(200);
    expect(answer.result).toEqual({
      ...{ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public', _meta: serverInfo },
      supportedVersions: [VERSION, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: expect.any(String),
    });
    const kept = { ttlMs: 300_000, cacheScope: 'private', resultType: 'complete' };
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
      expect((await askStateless(method)).answer.result).toMatchObject(kept);
    const uri = 'pg://connection_info';
    const read = await askStateless('resources/read', { uri }, { 'mcp-name': uri });
    expect(read.answer.result).toMatchObject({ ...kept, ttlMs: 0 });
    const name = 'list_connections';
    const call = await askStateless('tools/call', { name }, { 'mcp-name': name });
    expect(Object.keys(call.answer.result)).toEqual(['resultType', 'content', '_meta']);
  });

  it('begins with the header or with the member of _meta', async () => {
    expect((await ask('tools/list', {}, stateless('tools/list'))).answer.error.code).toBe(-32602);
    expect((await ask('tools/list', { _meta: META })).answer.error.code).toBe(-32020);
  });

  it('refuses what is missing, differs or is unknown', async () => {
    const capabilities = 'io.modelcontextprotocol/clientCapabilities';
    const { [capabilities]: _none, ...without } = META;
    const cases: [string, object, Headers, number, number][] = [
      ['tools/list', { _meta: without }, {}, 400, -32602],
      ['tools/list', { _meta: META }, { 'mcp-method': 'tools/call' }, 400, -32020],
      ['tools/list', { _meta: META }, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
      ['tools/call', { _meta: META, name: 'list_connections' }, {}, 400, -32020],
      ['tools/call', { _meta: META, name: 'list_connections' }, { 'mcp-name': 'x' }, 400, -32020],
      ['tools/call', { _meta: META, name: 'x' }, { 'mcp-name': 'x' }, 200, -32602],
      ['resources/read', { _meta: META, uri: 'pg://x' }, { 'mcp-name': 'pg://x' }, 200, -32602],
      ['tools/list', { _meta: META, cursor: 'x' }, {}, 200, -32602],
      ['ping', { _meta: META }, {}, 404, -32601],
      ['initialize', { _meta: META }, {}, 404, -32601],
    ];
    for (const [method, params, more, status, code] of cases) {
      const found = await post(request(method, params), stateless(method, more));
      expect([found.status, found.answer.error?.code, method]).toEqual([status, code, method]);
      expect(found.answer.id).toBe(7);
    }
    const requested = '2030-01-01';
    const _meta = { ...META, 'io.modelcontextprotocol/protocolVersion': requested };
    const { status, answer } = await post(
      request('tools/list', { _meta }),
      stateless('tools/list', { 'mcp-protocol-version': requested }),
    );
    expect([status, answer.error.code]).toEqual([400, -32022]);
    expect(answer.error.data).toMatchObject({
      requested,
      supported: expect.arrayContaining([VERSION, '2024-11-05']),
    });
  });

  it('reads a name that was sent as base64', async () => {
    const name = 'list_connections';
    const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const fits = await askStateless('tools/call', { name }, { 'mcp-name': encoded(name) });
    expect(fits.answer.result.content[0].type).toBe('text');
    const differs = await askStateless('tools/call', { name }, { 'mcp-name': encoded('ünknown') });
    expect(differs.answer.error.code).toBe(-32020);
  });
});
