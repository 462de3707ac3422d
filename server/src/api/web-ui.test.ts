// The web interface beside the API: files, the browser's own routes, caching, and nothing outside the web root.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { pages } from './pages.gen.ts';

const SCRIPT = `export {};${' '.repeat(4000)}`;
let root: string;
let test: TestApi;
beforeAll(async () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'matriarch-web-'));
  root = path.join(parent, 'root');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(path.join(parent, 'secret.txt'), 'secret');
  writeFileSync(path.join(root, '.env'), 'secret');
  writeFileSync(path.join(root, 'index.html'), '<!doctype html><title>Matriarch</title>');
  writeFileSync(path.join(root, 'assets', 'main-abc123.js'), 'export {};');
  writeFileSync(path.join(root, 'assets', 'both.js'), SCRIPT);
  writeFileSync(path.join(root, 'assets', 'both.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(path.join(root, 'assets', 'both.js.gz'), gzipSync(SCRIPT));
  test = await startWholeApi({ config: { webRoot: root } });
});
afterAll(async () => {
  await test.close();
  rmSync(path.dirname(root), { recursive: true });
});

it('serves files, and the page at every address of the interface', async () => {
  const asset = await test.call('GET /assets/main-abc123.js');
  expect([asset.status, asset.text, asset.headers['cache-control']]).toEqual([
    200,
    'export {};',
    'public, max-age=31536000, immutable',
  ]);
  expect(asset.headers['content-type']).toMatch(/javascript/);
  for (const url of [
    '/',
    ...pages.map((page) => page.replaceAll(/:\w+/g, '1')),
    '/servers/1/',
    '/clusters/server-2',
    '/index.html',
  ]) {
    const page = await test.call(`GET ${url}`);
    expect([url, page.status, page.headers['cache-control']]).toEqual([url, 200, 'no-cache']);
    expect(page.text).toContain('Matriarch');
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    expect(page.headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
    expect(page.headers['x-frame-options']).toBe('DENY');
  }
  const head = await test.call('HEAD /');
  expect([head.status, head.text]).toEqual([200, '']);
});

const NOWHERE = [
  '/metrics/more',
  '/metric',
  '/health/more',
  '/readyz',
  '/healthy',
  '/livez',
  '/apis',
  '/api',
  '/api/v2/x',
  '/mcp',
  '/assets/gone.js',
  '/favicon.gone',
  '/servers',
  '/servers/1/nothing',
  '/servers/1/queries',
  '/wp-login.php',
  '/actuator/health',
  '/..%2fx',
  '/Alerts',
];

it('answers 404 with an error where there is neither a file nor a page, whatever the method', async () => {
  for (const url of NOWHERE)
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await test.call(`${method} ${url}`, { headers: { 'sec-fetch-site': 'same-origin' } });
      expect([method, url, answer.status, answer.body]).toEqual([
        method,
        url,
        404,
        { error: 'There is nothing at this path.' },
      ]);
      expect(answer.headers.link, url).toBeDefined();
    }
});

it('lets people read in the interface that there is no such page, and programs in the status', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const answer = await test.call('GET /no/such/page', { headers: { accept } });
  expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect((await test.call('GET /api/v2/x', { headers: { accept } })).body).toEqual({
    error: 'There is nothing at this path.',
  });
});

it('shows the page of a foreign client at addresses that only it knows, to browsers', async () => {
  const foreign = await startWholeApi({ config: { webRoot: root, isForeignWeb: true } });
  try {
    const page = await foreign.call('GET /its/own/page', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await foreign.call('GET /its/own/data')).status).toBe(404);
  } finally {
    await foreign.close();
  }
});

it('answers an unchanged page with 304', async () => {
  const etag = (await test.call('GET /')).headers.etag ?? '';
  expect((await test.call('GET /', { headers: { 'if-none-match': etag } })).status).toBe(304);
});

it('never leaves the web root and never shows hidden files', async () => {
  for (const url of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/.env',
    '/%2eenv',
    '/assets/%00',
    '//etc/passwd',
  ]) {
    const answer = await test.call(`GET ${url}`);
    expect(answer.text, url).not.toContain('secret');
    expect(answer.text, url).not.toContain('root:');
  }
});

it('keeps API paths JSON and pages read-only', async () => {
  for (const url of ['/api/', '/api/v1/nothing', '/mcp/nothing', '/health/x']) {
    const answer = await test.call(`GET ${url}`);
    expect([url, answer.status, answer.error]).toEqual([url, 404, 'There is nothing at this path.']);
  }
  const post = await test.call('POST /', { body: {} });
  expect([post.status, post.headers.allow, post.error]).toEqual([
    405,
    'GET, HEAD',
    'Pages can only be read.',
  ]);
});

it('says how to build an interface that is not there', async () => {
  const bare = await startWholeApi();
  const answer = await bare.call('GET /');
  await bare.close();
  expect(answer.status).toBe(404);
  expect(answer.error).toMatch(/npm start/);
  expect(answer.headers.link).toBeDefined();
});

it('sends what the build has compressed to those who can read it', async () => {
  const get = (accept: string, more: Record<string, string> = {}) =>
    test.api.inject({
      method: 'GET',
      url: '/assets/both.js',
      headers: { 'accept-encoding': accept, ...more },
    });
  const etags = new Set<unknown>();
  for (const [accept, encoding, unpack] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const reply = await get(accept);
    expect([accept, reply.headers['content-encoding']]).toEqual([accept, encoding]);
    expect(unpack(reply.rawPayload).toString()).toBe(SCRIPT);
    expect(reply.headers['content-type']).toMatch(/javascript/);
    expect(String(reply.headers.vary).toLowerCase()).toBe('accept-encoding');
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const etag = String(reply.headers.etag);
    expect((await get(accept, { 'if-none-match': etag })).statusCode).toBe(304);
    etags.add(etag);
  }
  expect(etags.size).toBe(3);
});

it('tells a foreign client’s pages the policy that was set, and nothing else of ours', async () => {
  const pagePolicy = "default-src 'self' 'unsafe-inline'";
  const foreign = await startWholeApi({ config: { webRoot: root, pagePolicy } });
  try {
    const policy = async (url: string) =>
      (await foreign.call(`GET ${url}`)).headers['content-security-policy'];
    expect(await policy('/')).toBe(pagePolicy);
    expect(await policy('/assets/main-abc123.js')).toBe(pagePolicy);
    expect(await policy('/health')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(await policy('/api/v1/nothing')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect((await foreign.call('GET /')).headers['x-frame-options']).toBe('DENY');
  } finally {
    await foreign.close();
  }
});
