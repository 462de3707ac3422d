// The API and the pages below a path of a host: with it, and without it where the proxy takes it away.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { basePathOf, pageBelow, withoutBase } from './base-path.ts';

const PAGE = `<!doctype html>
<meta name="base-path" content="" />
<link rel="icon" href="/favicon.svg" />
<script src="/first-paint.js"></script>
<a href="https://example.com/">elsewhere</a>`;

let test: TestApi;
beforeAll(async () => {
  const root = testDirectory('pages');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(path.join(root, 'index.html'), PAGE);
  writeFileSync(path.join(root, 'assets', 'a.js'), 'export {};');
  test = await startWholeApi({ config: { webRoot: root, basePath: '/matriarch' } });
});
afterAll(() => test.close());

describe('addresses', () => {
  it.each([
    [undefined, ''],
    ['https://example.com', ''],
    ['https://example.com/', ''],
    ['https://example.com/matriarch', '/matriarch'],
    ['https://example.com/db/matriarch/', '/db/matriarch'],
  ])('%s is below "%s"', (url, base) => expect(basePathOf(url)).toBe(base));

  it.each([
    'https://example.com/a?b',
    'https://example.com/a#b',
    'https://example.com/a%20b',
    'https://example.com/a//b',
  ])('refuses %s', (url) =>
    expect(() => basePathOf(url)).toThrow(/api\.public_url: give an address such as/),
  );

  it.each([
    ['/m/api/v1/x?y=1', '/m', '/api/v1/x?y=1'],
    ['/m', '/m', '/'],
    ['/m?y=1', '/m', '/?y=1'],
    ['/my', '/m', '/my'],
    ['/m/m/x', '/m', '/m/x'],
    ['/api', '', '/api'],
    ['/.well-known/oauth-protected-resource/m/mcp/v1', '/m', '/.well-known/oauth-protected-resource/mcp/v1'],
    ['/.well-known/oauth-protected-resource/my/mcp', '/m', '/.well-known/oauth-protected-resource/my/mcp'],
  ])('%s below %s is %s', (target, base, rest) => expect(withoutBase(target, base)).toBe(rest));

  it('of the files of the page are below it', () => {
    expect(pageBelow(PAGE, '/m')).toBe(`<!doctype html>
<meta name="base-path" content="/m" />
<link rel="icon" href="/m/favicon.svg" />
<script src="/m/first-paint.js"></script>
<a href="https://example.com/">elsewhere</a>`);
  });
});

it.each(['/matriarch', ''])('answers below "%s"', async (before) => {
  const link = '</matriarch/api/v1/openapi.json>; rel="service-desc"';
  const document = await test.call(`GET ${before}/api/v1/openapi.json`);
  expect([document.status, document.headers.link]).toEqual([200, link]);
  const refused = await test.call(`GET ${before}/api/v1/connections`);
  expect([refused.status, refused.headers.link]).toEqual([401, link]);
  for (const page of ['', '/', '/servers/1?tab=load']) {
    const shown = await test.call(`GET ${before}${page === '' && before === '' ? '/' : page}`);
    expect([shown.status, shown.text]).toEqual([200, pageBelow(PAGE, '/matriarch')]);
    expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
  }
  expect((await test.call(`GET ${before}/assets/a.js`)).text).toBe('export {};');
  expect((await test.call(`GET ${before}/health/live`)).status).toBe(200);
});

it('sends its cookie to nothing else on that host', async () => {
  const token = test.actors.owner.session;
  const out = await test.call('POST /matriarch/api/v1/auth/logout', { token });
  expect(out.status).toBe(200);
  expect([out.headers['set-cookie']].flat()).toEqual([
    expect.stringMatching(/; Path=\/matriarch; HttpOnly; SameSite=Lax/),
  ]);
  expect((await test.call('GET /matriarchy')).status).toBe(404);
});
