// The web interface beside the API: files, the browser's own routes, caching, and nothing outside the web root.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/api.ts';

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
  test = await startTestApi({ config: { webRoot: root } });
});
afterAll(async () => {
  await test.close();
  rmSync(path.dirname(root), { recursive: true });
});

it('serves files, and the page for every other path', async () => {
  const asset = await test.call('GET /assets/main-abc123.js');
  expect([asset.status, asset.text, asset.headers['cache-control']]).toEqual([
    200,
    'export {};',
    'public, max-age=31536000, immutable',
  ]);
  expect(asset.headers['content-type']).toMatch(/javascript/);
  for (const url of ['/', '/servers/1', '/index.html', '/healthy', '/apis']) {
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
  for (const url of ['/api/', '/api/v1/nothing', '/mcp/v1', '/health/x']) {
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
  const bare = await startTestApi();
  const answer = await bare.call('GET /');
  await bare.close();
  expect(answer.status).toBe(404);
  expect(answer.error).toMatch(/npm start/);
  expect(answer.headers.link).toBeDefined();
});
