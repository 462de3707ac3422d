// Behind reverse proxies on another name: signing in and writing by cookie, as a browser over plain HTTP does it. A proxy
// from npm always; nginx and Caddy, with the text of docs/reverse-proxy.md, where they are installed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { createProxyServer } from 'httpxy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../datastore/ports.ts';
import { sleep } from '../kernel/clock.ts';
import type { TestApi } from '../testing/api.ts';
import { sendRaw } from '../testing/oidc/raw-request.ts';
import { startSignOnApi } from '../testing/oidc/sign-on-api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { testDirectory } from '../testing/servers/postgres.ts';

const NAME = 'matriarch.example.org';
/** A host that Matriarch shares with others, below a path. */
const SHARED = 'tools.example.org';
const GUIDE = readFileSync(new URL('../../../docs/reverse-proxy.md', import.meta.url), 'utf8');

interface Served {
  test: TestApi;
  apiPort: number;
}

async function serve(trusted: boolean, basePath = ''): Promise<Served> {
  const test = await startWholeApi({ config: { trustedProxies: trusted ? ['127.0.0.1'] : [], basePath } });
  onTestFinished(() => test.close());
  const { port } = await test.api.listen();
  return { test, apiPort: port };
}

interface Sent {
  port: number;
  origin?: string;
  host?: string;
  session: string;
  headers?: Record<string, string>;
}

/** A write by cookie, as a browser sends it where it sends no Sec-Fetch-Site: over HTTP, to a name. */
async function write({ port, session, ...more }: Sent): Promise<{ status: number; text: string }> {
  const host = more.host ?? `${NAME}:${port}`;
  const headers = { host, origin: more.origin ?? `http://${host}`, cookie: `session_token=${session}` };
  const request = http.request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/v1/auth/logout',
    headers: { ...headers, ...more.headers, 'content-length': '0' },
  });
  request.end();
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  let text = '';
  for await (const chunk of response ?? []) text += String(chunk);
  return { status: response?.statusCode ?? 0, text };
}

async function startProxy(apiPort: number, options: object): Promise<number> {
  const proxy = createProxyServer({ target: `http://127.0.0.1:${apiPort}`, ...options });
  const server = http.createServer((request, response) => void proxy.web(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

describe('a proxy', () => {
  it.each([
    { name: 'keeps Host', options: { xfwd: false }, trusted: false, status: 200 },
    {
      name: 'rewrites Host, forwards it and is trusted',
      options: { xfwd: true, changeOrigin: true },
      trusted: true,
      status: 200,
    },
    {
      name: 'rewrites Host, forwards it and is not trusted',
      options: { xfwd: true, changeOrigin: true },
      trusted: false,
      status: 403,
    },
    {
      name: 'rewrites Host and does not say from what',
      options: { changeOrigin: true },
      trusted: true,
      status: 403,
    },
  ])('that $name', async ({ options, trusted, status }) => {
    const { test, apiPort } = await serve(trusted);
    const port = await startProxy(apiPort, options);
    const answer = await write({ port, session: test.actors.owner.session });
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    const origin = 'http://evil.example';
    expect((await write({ port, origin, session: test.actors.other.session })).status).toBe(403);
  });

  it('that is not ours cannot claim a name', async () => {
    const { test, apiPort } = await serve(false);
    const sent = { port: apiPort, origin: 'http://evil.example', session: test.actors.owner.session };
    const claim = { 'x-forwarded-host': 'evil.example' };
    expect((await write({ ...sent, headers: claim })).status).toBe(403);
  });
});

/** A block of the guide in that language, with ports of the test's and without TLS. */
function fromGuide(
  { language, block = 0 }: Pick<Installed, 'language' | 'block'>,
  port: number,
  apiPort: number,
) {
  const blocks = [...GUIDE.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))];
  const text = blocks[block]?.[1] ?? expect.fail(`the guide has no block ${block} of ${language}`);
  return text
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replace(/^\s*ssl_.*\n/gm, '')
    .replace(/^((?:matriarch|tools)\.example\.org) \{/m, `http://$1:${port} {`)
    .replaceAll(/(?:127\.0\.0\.1|10\.0\.0\.8):8080/g, `127.0.0.1:${apiPort}`);
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`);
    const socket = net.connect(port, '127.0.0.1');
    const open = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      sleep(1000).then(() => false),
    ]);
    socket.destroy();
    if (open) return;
    await sleep(50);
  }
}

interface Installed {
  language: string;
  /** The first of its language when absent. */
  block?: number;
  program: string | undefined;
  /** Arguments, and what stands around the guide's text in its file. */
  run(file: string, folder: string): string[];
  around(text: string, folder: string): string;
}

const INSTALLED: Installed[] = [
  {
    language: 'nginx',
    program: ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync),
    run: (file, folder) => ['-p', folder, '-c', file, '-g', 'daemon off; master_process off;'],
    around: (text, folder) =>
      `error_log ${folder}/error.log; pid ${folder}/nginx.pid; events {}\nhttp { access_log off;\n${[
        'client_body',
        'proxy',
        'fastcgi',
        'uwsgi',
        'scgi',
      ]
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join('\n')}\n${text}}\n`,
  },
  {
    language: 'caddy',
    program: ['/usr/bin/caddy', '/usr/local/bin/caddy', '/opt/homebrew/bin/caddy'].find(existsSync),
    run: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    around: (text) => `{\n  admin off\n  auto_https off\n}\n${text}`,
  },
];

interface Started extends Installed {
  program: string;
  /** A change of the guide's text beside ports. */
  change?: (text: string) => string;
}

async function startInstalled(proxy: Started, apiPort: number): Promise<number> {
  const folder = testDirectory(proxy.language);
  const port = await freePort(null);
  const file = path.join(folder, 'proxy.conf');
  const { change = (text: string) => text } = proxy;
  writeFileSync(file, proxy.around(change(fromGuide(proxy, port, apiPort)), folder));
  const child = spawn(proxy.program, proxy.run(file, folder), {
    env: { PATH: '/usr/sbin:/usr/bin:/bin', HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(5000).then(() => child.kill('SIGKILL'))]);
  });
  await untilListening(port, child);
  return port;
}

for (const { program, ...proxy } of INSTALLED) {
  it.skipIf(program === undefined)(`${proxy.language} with the text of the guide`, async () => {
    const { test, apiPort } = await serve(true);
    const port = await startInstalled({ ...proxy, program: program ?? '' }, apiPort);
    expect(await write({ port, session: test.actors.owner.session })).toMatchObject({ status: 200 });
    const origin = 'http://evil.example';
    const claim = { 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '203.0.113.9' };
    const foreign = { port, origin, session: test.actors.other.session };
    expect((await write(foreign)).status).toBe(403);
    // What a client says of itself is not what the proxy says of it.
    expect((await write({ ...foreign, headers: claim })).status).toBe(403);
  });
}

interface Read {
  port: number;
  path: string;
  session: string;
}

async function read({ port, path: asked, session }: Read): Promise<{ status: number; link: string }> {
  const headers = { host: `${SHARED}:${port}`, cookie: `session_token=${session}` };
  const request = http.get({ port, host: '127.0.0.1', path: asked, headers });
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  response?.resume();
  return { status: response?.statusCode ?? 0, link: String(response?.headers.link) };
}

for (const { program, ...proxy } of INSTALLED) {
  it.skipIf(program === undefined)(`${proxy.language} below a path, with the text of the guide`, async () => {
    const { test, apiPort } = await serve(true, '/matriarch');
    const port = await startInstalled({ ...proxy, block: 1, program: program ?? '' }, apiPort);
    const { session } = test.actors.owner;
    expect(await read({ port, path: '/api/v1/user/info', session })).toMatchObject({ status: 404 });
    expect(await read({ port, path: '/matriarch/api/v1/user/info', session })).toEqual({
      status: 200,
      link: '</matriarch/api/v1/openapi.json>; rel="service-desc"',
    });
  });
}

/** A stand-in for oauth2-proxy: signs in each browser with a cookie, under its value. Answers its port. */
async function startAuthService(): Promise<number> {
  const server = http.createServer(({ headers }, response) => {
    const person = /^person=(\w+)$/.exec(headers.cookie ?? '')?.[1];
    response.statusCode = person === undefined ? 401 : 202;
    if (person !== undefined) response.setHeader('X-Auth-Request-User', person);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

for (const { program, ...proxy } of INSTALLED.filter(({ language }) => language === 'nginx')) {
  it.skipIf(program === undefined)('nginx that signs people in, with the text of the guide', async () => {
    const flags = { 'user-header': 'X-Remote-User', 'groups-header': 'X-Remote-Groups', superusers: 'root' };
    const argv = Object.entries({ ...flags, addresses: '127.0.0.1', 'create-users': 'true' });
    const test = await startSignOnApi(argv.flatMap(([name, value]) => [`--auth-proxy-${name}`, value]));
    onTestFinished(() => test.close());
    const service = await startAuthService();
    const change = (text: string) => text.replaceAll('127.0.0.1:4180', `127.0.0.1:${service}`);
    const { port: apiPort } = await test.api.listen();
    const port = await startInstalled({ ...proxy, block: 2, program: program ?? '', change }, apiPort);
    const claims = ['X-Remote-User: eve', 'X-Remote-Groups: root', 'X-Auth-Request-User: eve'];
    const request = 'POST /api/v1/auth/proxy';
    expect((await sendRaw({ port, request, headers: claims })).status).toBe(403);
    const answer = await sendRaw({ port, request, headers: [...claims, 'Cookie: person=anna'] });
    const cookie = /set-cookie: session_token=([\w-]+)/i.exec(answer.head)?.[1] ?? '';
    const info = await test.call('GET /api/v1/user/info', { cookie });
    expect(info.body).toMatchObject({ username: 'anna', is_superuser: false });
    expect((await sendRaw({ port, request: 'GET /api/none', headers: claims })).status).toBe(403);
    expect((await sendRaw({ port, request: 'GET /v1/none', headers: claims })).status).toBe(404);
  });
}
