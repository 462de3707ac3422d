// What replies weigh on the wire: compressed for those who can read that, not sent again to those who have them, and never
// compressed where that could tell a secret.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allRoutes } from '../app/routes.ts';
import { systemClock } from '../kernel/clock.ts';
import { makeConnection } from '../testing/access/actors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { startWholeApi, type WholeApi } from '../testing/rooms/whole.ts';

const clock = manualClock(systemClock.now());
let test: WholeApi;
beforeAll(async () => {
  test = await startWholeApi({ clock, config: { allowedOrigins: ['https://other.example'] } });
  const { user_id: owner_id } = test.actors.owner;
  for (let n = 0; n < 20; n += 1) await makeConnection(test.db, { owner_id });
});
afterAll(() => test.close());

async function get(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const authorization = `Bearer ${test.actors.owner.session}`;
  return test.api.inject({ method, url, headers: { authorization, ...headers } });
}

it.each(['/api/v1/estate', '/api/v1/clusters', '/api/v1/connections'])(
  'compresses %s when asked',
  async (url) => {
    const plain = await get(url);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toMatch(/Accept-Encoding/);
    for (const [accept, encoding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const packed = await get(url, { 'accept-encoding': accept });
      expect(packed.headers['content-encoding']).toBe(encoding);
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
      expect(Number(packed.headers['content-length'])).toBe(packed.rawPayload.length);
      expect(packed.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(packed.headers.link).toContain('openapi.json');
      expect(packed.headers.vary).toBe('Origin, Accept-Encoding');
      const head = await get(url, { 'accept-encoding': accept }, 'HEAD');
      expect([head.statusCode, head.headers['content-encoding'], head.payload]).toEqual([200, encoding, '']);
      const body: unknown = JSON.parse(unpack(packed.rawPayload).toString());
      expect(Object.keys(Object(body))).toEqual(Object.keys(plain.json<object>()));
    }
    for (const accept of ['identity', 'gzip;q=0', '', 'deflate', 'x'.repeat(600)])
      expect((await get(url, { 'accept-encoding': accept })).headers['content-encoding']).toBeUndefined();
  },
);

it.each(['/api/v1/estate', '/api/v1/clusters'])(
  'answers %s with 304 while nothing has changed',
  async (url) => {
    const first = await get(url, { 'accept-encoding': 'br' });
    expect(first.headers['cache-control']).toBe('private, no-cache');
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^W\/"/);
    // The kept reading is of two seconds; the next one says the same at another time.
    clock.advance(2100);
    for (const known of [etag, `"x", ${etag}`, '*']) {
      const again = await get(url, { 'if-none-match': known });
      expect([again.statusCode, again.payload]).toEqual([304, '']);
      expect(again.headers.etag).toBe(etag);
      expect(again.headers['cache-control']).toBe('private, no-cache');
    }
    expect((await get(url, { 'if-none-match': etag }, 'HEAD')).statusCode).toBe(304);
    await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
    const changed = await get(url, { 'if-none-match': etag });
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  },
);

it('keeps other replies out of every cache', async () => {
  const reply = await get('/api/v1/connections', { 'if-none-match': '*' });
  expect([reply.statusCode, reply.headers['cache-control'], reply.headers.etag]).toEqual([
    200,
    'no-store',
    undefined,
  ]);
});

/** The link of a step or a figure of the chat leads to a page, and opens nothing to whoever has it. */
const PAGES = new Set(['startChatRun', 'getChatRun', 'followChatRun', 'listChatQuestions']);
const SECRET = /^(token|session_token|password|secret|api_key|link)$/;

/** Names of all members of a schema, which may hold itself. */
function membersOf(schema: unknown, seen = new Set<unknown>()): string[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' ? Object.keys(Object(value)) : []),
    ...membersOf(value, seen),
  ]);
}

it('marks every operation whose reply carries a secret, and compresses none of them', async () => {
  const operations = allRoutes(test.services).map(({ operation }) => operation);
  const carrying = operations.filter(({ id, success }) =>
    membersOf(success.schema).some((name) => SECRET.test(name) && !(name === 'link' && PAGES.has(id))),
  );
  expect(carrying.map(({ id }) => id)).toEqual(['createToken']);
  expect(carrying.filter(({ isSecret }) => !isSecret)).toEqual([]);
  const made = await test.api.inject({
    method: 'POST',
    url: '/api/v1/rbac/tokens',
    headers: { authorization: `Bearer ${test.actors.superuser.session}`, 'accept-encoding': 'br' },
    payload: { owner_username: test.actors.owner.username, annotation: 'a'.repeat(2000) },
  });
  expect(made.statusCode).toBe(201);
  expect(made.rawPayload.length).toBeGreaterThan(1024);
  expect(made.headers['content-encoding']).toBeUndefined();
});
