// Requests that lead nowhere: they are told so before anything of them is read.
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';

let test: TestApi;
let port: number;
beforeAll(async () => {
  test = await startWholeApi({ config: { bodyLimitBytes: 2048 } });
  ({ port } = await test.api.listen());
});
afterAll(() => test.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const bodies: [string, string, Record<string, string>][] = [
  ['bad JSON', '{"name":', JSON_TYPE],
  ['a body beyond every limit', JSON.stringify('x'.repeat(3 * 1024 * 1024)), JSON_TYPE],
  ['another type', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a type that is none', 'a', { 'content-type': '///' }],
];

it.each(bodies)('answers 404 and 405 to %s', async (_name, body, headers) => {
  for (const [line, status] of [
    ['POST /api/v1/nothing', 404],
    ['PUT /api/v1/nothing/at/all', 404],
    ['POST /mcp/nothing', 404],
    ['PATCH /api/v1/estate', 405],
    ['POST /health', 405],
    ['DELETE /api/v1/auth/login', 405],
    ['POST /servers/1', 405],
  ] as const) {
    const answer = await test.call(line, { body, headers });
    expect([line, answer.status, typeof answer.error]).toEqual([line, status, 'string']);
    expect(answer.headers.allow === undefined).toBe(status === 404);
  }
});

/** Bytes as they are, and all that comes back until the server closes. */
async function raw(request: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write(request);
  await once(socket, 'close');
  return said;
}

it('answers CONNECT, and stays up', async () => {
  const said = await raw('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
  expect(said).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  expect(said).toMatch(/\r\nallow: GET, HEAD/i);
  expect(said).toContain('{"error":"This server is no proxy, so it does not answer to CONNECT."}');
  expect((await test.call('GET /health')).status).toBe(200);
});

it('refuses two Host headers, and none', async () => {
  const end = 'Connection: close\r\n\r\n';
  const two = await raw(`GET /health HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\n${end}`);
  expect(two).toMatch(/^HTTP\/1\.1 400 /);
  expect(two).toContain('more than one Host header');
  expect(await raw(`GET /health HTTP/1.1\r\n${end}`)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await raw(`GET /health HTTP/1.1\r\nHost: a.example\r\n${end}`)).toMatch(/^HTTP\/1\.1 200 /);
});
