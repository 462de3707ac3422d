// The ground under every operation, over real HTTP: errors, headers, order of checks, limits, cutting off, stopping.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { type Actor, makeConnection, makeSession, makeToken, makeUser } from '../testing/access/actors.ts';
import { sendRaw } from '../testing/api-requests.ts';
import { sampleRoutes, told } from '../testing/sample-operations.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import type { ApiConfig } from './config.ts';
import { type Api, createApi } from './server.ts';

const lines: string[] = [];
const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
let database: TestDatabase;
let api: Api;
let port: number;
/** Cuts off what takes longer than a moment. */
let hasty: Api;
let hastyPort: number;
let person: Actor;
let other: Actor;
let superuser: Actor;
let own: number;

const config: ApiConfig = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: ['https://friend.example'],
  webRoot: undefined,
  logRequests: true,
  requestTimeoutMs: 10_000,
  bodyLimitBytes: 1024,
  sharedAccess: 'read_write',
};

beforeAll(async () => {
  database = await testDatabase();
  const options = { db: database.db, routes: sampleRoutes, constraints: {}, log, clock: systemClock };
  api = await createApi({ ...options, config });
  port = (await api.listen()).port;
  hasty = await createApi({ ...options, config: { ...config, requestTimeoutMs: 700 } });
  hastyPort = (await hasty.listen()).port;
  person = await makeUser(database.db);
  other = await makeUser(database.db);
  superuser = await makeUser(database.db, { is_superuser: true });
  own = await makeConnection(database.db, { owner_id: person.user_id });
});
afterAll(async () => {
  await api.stop();
  await hasty.stop();
  await database.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const json = { 'content-type': 'application/json' };

interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  at?: number;
}
const call = (path: string, { method = 'GET', headers = {}, body, at = port }: Call = {}) =>
  fetch(`http://127.0.0.1:${at}${path}`, { method, headers, ...(body !== undefined && { body }) });

async function expectError(response: Response, status: number): Promise<string> {
  const body: unknown = await response.json();
  expect({ status: response.status, keys: Object.keys(Object(body)) }).toEqual({ status, keys: ['error'] });
  expect(response.headers.get('link')).toBe('</api/v1/openapi.json>; rel="service-desc"');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return String(Object(body).error);
}

describe('errors', () => {
  it('are JSON for unknown paths, also with another case or a trailing slash', async () => {
    for (const path of [
      '/api/v1/nothing',
      '/api/v1/echo/',
      '/api/v1/Echo',
      '/health/',
      '/mcp/v1',
      '/api/v1/things/',
    ])
      await expectError(await call(path, { headers: bearer(person.session) }), 404);
  });

  it('name the allowed methods of a path, also where another pattern would fit', async () => {
    const wrong = await call('/api/v1/echo', { method: 'DELETE' });
    await expectError(wrong, 405);
    expect(wrong.headers.get('allow')).toBe('POST');
    const shadowed = await call('/api/v1/things/current', {
      method: 'DELETE',
      headers: bearer(person.session),
    });
    await expectError(shadowed, 405);
    expect(shadowed.headers.get('allow')).toBe('GET, HEAD');
    const both = await call('/api/v1/things/1', { method: 'OPTIONS' });
    await expectError(both, 405);
    expect(both.headers.get('allow')).toBe('GET, HEAD, DELETE');
  });

  it('are JSON for methods nobody knows', async () => {
    const propfind = await sendRaw(
      port,
      'PROPFIND /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(propfind).toMatch(/^HTTP\/1.1 405 [\s\S]*allow: POST/i);
    const invented = await sendRaw(port, 'FOO /api/v1/echo HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(invented).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"error":"[^"]+"\}$/);
  });

  it('are JSON for malformed URLs, bodies, types and sizes', async () => {
    await expectError(await call('/api/v1/things/%zz'), 400);
    await expectError(await call('/%zz'), 400).catch(async () => undefined);
    expect((await call('/%zz')).status).toBe(400);
    await expectError(await call('/api/v1/search?limit=%zz'), 400);
    const send = async (body: string | Uint8Array, headers: Record<string, string> = json) =>
      call('/api/v1/echo', { method: 'POST', headers: { ...bearer(person.session), ...headers }, body });
    expect(await expectError(await send('{'), 400)).toBe('The request body is not valid JSON.');
    expect(await expectError(await send(''), 400)).toBe('The request needs a JSON body.');
    await expectError(await send(new Uint8Array([0x22, 0xff, 0x22])), 400);
    expect(await expectError(await send('[]'), 400)).toBe('The request body must be a JSON object.');
    await expectError(await send('{"said":"x"}', { 'content-type': 'text/plain' }), 415);
    await expectError(await send('{"said":"x"}', { 'content-type': 'application/json,' }), 415);
    await expectError(await send(new TextEncoder().encode('{"said":"x"}'), {}), 415);
    expect((await send('{"said":"x"}', { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(
      201,
    );
    await expectError(await send(JSON.stringify({ said: 'x'.repeat(2000) })), 413);
    expect(await expectError(await send('{"said":"x","port":0}'), 400)).toBe(
      'port must be an integer from 1 to 65535.',
    );
  });

  it('leaves an operation the larger body that it declares, and no more', async () => {
    const send = async (length: number) =>
      call('/api/v1/conversation', {
        method: 'POST',
        headers: { ...bearer(person.session), ...json },
        body: JSON.stringify({ said: 'x'.repeat(length) }),
      });
    const long = await send(3000);
    expect([long.status, await long.json()]).toEqual([201, { said: '3000' }]);
    expect(await expectError(await send(5000), 413)).toBe(
      'The request body must not be larger than 4096 bytes.',
    );
  });

  it('S16 are JSON for a body too large without a length', async () => {
    const head = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.session}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const reply = await sendRaw(port, `${head}800\r\n${' '.repeat(2048)}\r\n0\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1.1 413 [\s\S]*\{"error":"[^"]+"\}/);
  });

  it('are JSON at the socket: no Host, broken lines, endless headers', async () => {
    const link = '</api/v1/openapi.json>; rel="service-desc"';
    const cases: [string, number][] = [
      ['GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['nonsense\r\n\r\n', 400],
      ['GET /health HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n', 400],
      [`GET /health HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      ['POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ];
    for (const [text, status] of cases) {
      const reply = await sendRaw(port, text);
      expect(reply, text.slice(0, 60)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(reply).toContain(link);
      expect(reply).toMatch(/\{"error":"[^"]+"\}$/);
    }
    const whole = await sendRaw(
      port,
      'GET http://x/health HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\nConnection: close\r\n\r\n',
    );
    expect(whole).toMatch(/^HTTP\/1.1 200 /);
  });

  it('say nothing of a fault of ours, which the log explains', async () => {
    const response = await call('/api/v1/broken', { headers: { 'x-request-id': 'find-me' } });
    expect(await expectError(response, 500)).toBe('internal error');
    const logged = lines.filter((line) => line.includes('find-me') && line.includes('http.failed'));
    expect(logged.join()).toContain('select password from secrets');
  });
});

describe('headers', () => {
  it('stand on every reply', async () => {
    for (const path of ['/health', '/api/v1/openapi.json', '/api/v1/nothing', '/somewhere']) {
      const { headers } = await call(path, { headers: { 'x-request-id': 'abc.1' } });
      expect(headers.get('x-request-id'), path).toBe('abc.1');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('content-security-policy')).toMatch(/default-src/);
      expect(headers.get('link')).toBe('</api/v1/openapi.json>; rel="service-desc"');
      expect(headers.get('strict-transport-security')).toBeNull();
    }
    const odd = await call('/health', { headers: { 'x-request-id': 'a b' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answer HEAD as GET without a body', async () => {
    const head = await call('/health', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('link')).not.toBeNull();
  });

  it('let a configured origin read, and no other', async () => {
    const friend = await call('/health', { headers: { origin: 'https://friend.example' } });
    expect(friend.headers.get('access-control-allow-origin')).toBe('https://friend.example');
    expect(friend.headers.get('access-control-allow-credentials')).toBe('true');
    const stranger = await call('/health', { headers: { origin: 'https://evil.example' } });
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await call('/api/v1/echo', {
      method: 'OPTIONS',
      headers: { origin: 'https://friend.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
  });

  it('answer an unchanged OpenAPI document with 304', async () => {
    const first = await call('/api/v1/openapi.json');
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await call('/api/v1/openapi.json', { headers: { 'if-none-match': etag } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  });
});

describe('order of checks', () => {
  it('path, then token, then site, then permission, then body, then connection', async () => {
    const post = (headers: Record<string, string>, body = '{') =>
      call('/api/v1/admin', { method: 'POST', headers: { ...json, ...headers }, body });
    const missing = await post({});
    await expectError(missing, 401);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    const cookie = { cookie: `session_token=${person.session}` };
    await expectError(await post({ ...cookie, 'sec-fetch-site': 'cross-site' }), 403);
    await expectError(await post(bearer(person.session)), 403);
    await expectError(await post(bearer(superuser.session)), 400);
    const name = (token: string, connection_id: unknown) =>
      call('/api/v1/named', {
        method: 'POST',
        headers: { ...json, ...bearer(token) },
        body: JSON.stringify({ connection_id }),
      });
    await expectError(await name(other.session, 'x'), 400);
    await expectError(await name(other.session, own), 403);
    await expectError(await name(other.session, 99_999), 404);
    expect((await name(person.session, own)).status).toBe(200);
  });

  it('refuses every odd id before it looks at access', async () => {
    for (const odd of [
      '0',
      '-1',
      '1.0',
      '0x1',
      '+1',
      '01',
      '2147483648',
      '1e3',
      'abc',
      '%20',
      '9'.repeat(300),
    ])
      await expectError(await call(`/api/v1/hidden/${odd}`, { headers: bearer(other.session) }), 400);
    await expectError(await call('/api/v1/hidden/', { headers: bearer(other.session) }), 400);
    await expectError(await call('/api/v1/hidden/99999', { headers: bearer(other.session) }), 403);
    await expectError(await call(`/api/v1/hidden/${own}`, { headers: bearer(other.session) }), 403);
    const allowed = await call(`/api/v1/hidden/${own}`, { headers: bearer(person.session) });
    expect([allowed.status, await allowed.text()]).toEqual([200, 'null']);
    await expectError(await call('/api/v1/things/99999', { headers: bearer(other.session) }), 404);
  });

  it('lets the Authorization header win over the cookie, even when it is none of ours', async () => {
    const cookie = `session_token=${person.session}`;
    expect((await call(`/api/v1/things/${own}`, { headers: { cookie } })).status).toBe(200);
    for (const authorization of ['Bearer wrong', 'Basic eDp5', 'Bearer', ''])
      await expectError(await call(`/api/v1/things/${own}`, { headers: { cookie, authorization } }), 401);
  });

  it('S9 passes a write by cookie only from our own pages', async () => {
    const cookie = `session_token=${person.session}`;
    const write = async (headers: Record<string, string>) =>
      (await call('/api/v1/personal', { method: 'POST', headers: { cookie, ...headers } })).status;
    const host = `127.0.0.1:${port}`;
    expect(await write({})).toBe(204);
    expect(await write({ origin: `http://${host}` })).toBe(204);
    expect(await write({ origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' })).toBe(204);
    expect(await write({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })).toBe(204);
    expect(await write({ 'sec-fetch-site': 'none' })).toBe(204);
    for (const headers of [
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: `http://${host}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
    ])
      expect(await write(headers), JSON.stringify(headers)).toBe(403);
  });

  it('keeps API tokens off what needs a session', async () => {
    const token = await makeToken(database.db, person.user_id);
    const response = await call('/api/v1/personal', { method: 'POST', headers: bearer(token) });
    await expectError(response, 403);
  });

  it('knows who calls a public operation, and does not mind when nobody does', async () => {
    const ask = async (headers: Record<string, string>) =>
      JSON.parse(Object(await (await call('/api/v1/search', { headers })).json()).said);
    expect(await ask(bearer(person.session))).toEqual([{}, person.user_id]);
    expect(await ask(bearer('wrong'))).toEqual([{}, null]);
    const expired = await makeSession(database.db, person.user_id, -5);
    expect(await ask(bearer(expired))).toEqual([{}, null]);
  });
});

describe('input and output', () => {
  it('converts query values in one spelling each', async () => {
    const ask = async (query: string) => call(`/api/v1/search?${query}`);
    expect(
      JSON.parse(Object(await (await ask('limit=3&deep=1&word=a&word=b&other=x')).json()).said)[0],
    ).toEqual({
      limit: 3,
      deep: true,
      word: ['a', 'b'],
    });
    for (const odd of [
      'limit=1.0',
      'limit=0x1',
      'limit=+1',
      'limit=%2B1',
      'limit=01',
      'limit=',
      'limit=11',
      'limit=1&limit=1',
      'deep=yes',
      'deep=',
      'word=%00',
    ])
      await expectError(await ask(odd), 400);
  });

  it('drops members that no schema declares', async () => {
    const response = await call('/api/v1/echo', {
      method: 'POST',
      headers: { ...json, ...bearer(person.session) },
      body: '{"said":"hello","unknown":1,"__proto__":{"port":99999}}',
    });
    expect([response.status, await response.json()]).toEqual([201, { said: 'hello' }]);
  });

  it('ignores the body of an operation without one', async () => {
    const response = await call('/api/v1/personal', {
      method: 'POST',
      headers: { ...bearer(person.session), 'content-type': 'not a type' },
      body: '{',
    });
    expect(response.status).toBe(204);
  });
});

describe('time', () => {
  it('cuts a request off with 503 and tells its work', async () => {
    const before = told.count;
    await expectError(await call('/api/v1/slow', { at: hastyPort }), 503);
    expect(told.count).toBe(before + 1);
  });

  it('S16 cuts off a body that never ends', async () => {
    const head = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.session}\r\n`;
    const type = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n';
    const reply = await sendRaw(hastyPort, `${head}${type}{"said":`, 10_000);
    expect(reply).toMatch(/^HTTP\/1.1 503 [\s\S]*connection: close[\s\S]*\{"error":"[^"]+"\}$/i);
  });

  it('lets go of a connection that sent half a body and left', async () => {
    const before = lines.length;
    const head = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.session}\r\n`;
    await sendRaw(port, `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`, 200);
    await expect.poll(() => lines.slice(before).join()).toContain('"status":null');
    expect(lines.slice(before).join()).not.toContain('http.failed');
  });

  it('ends the work of a client that has left', async () => {
    const before = told.count;
    const leaving = new AbortController();
    const pending = fetch(`http://127.0.0.1:${port}/api/v1/slow`, { signal: leaving.signal }).catch(
      () => undefined,
    );
    await delay(100);
    leaving.abort();
    await pending;
    await expect.poll(() => told.count).toBe(before + 1);
  });
});

it('logs one event for each request, without query strings', async () => {
  await call('/api/v1/search?word=topsecret', {
    headers: { ...bearer(person.session), 'x-request-id': 'logged' },
  });
  await expect.poll(() => lines.filter((line) => line.includes('"logged"')).length).toBe(1);
  const [line = '{}'] = lines.filter((each) => each.includes('"logged"'));
  expect(JSON.parse(line)).toMatchObject({
    event: 'http.request',
    operation: 'search',
    method: 'GET',
    status: 200,
    user_id: person.user_id,
  });
  expect(lines.join()).not.toContain('topsecret');
  expect(lines.join()).not.toContain(person.session);
});
