// The program as a person starts it: real processes, real signals, real HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { sleep } from './kernel/clock.ts';
import { type Child, startChild } from './testing/child.ts';
import { testDatabase } from './testing/servers/database.ts';

const script = fileURLToPath(new URL('main.mjs', import.meta.url));
let folder = '';
let children: Child[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'matriarch-app-'));
});
afterEach(async () => {
  for (const child of children) await child.kill('SIGTERM');
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

interface Running {
  child: Child;
  url: string;
  link: string | undefined;
}

const dataDir = () => path.join(folder, 'data');

function launch(...args: string[]): Child {
  const child = startChild({ script, args: ['start', '--port', '0', '--data-dir', dataDir(), ...args] });
  children.push(child);
  return child;
}

async function running(...args: string[]): Promise<Running> {
  const child = launch(...args);
  let url: string | undefined;
  let link: string | undefined;
  for (;;) {
    const line = await child.line();
    if (line === null) throw new Error(`it ended early: ${child.errors()}`);
    url ??= /is ready: (\S+)/.exec(line)?.[1];
    link ??= /\/link#(\S+)/.exec(line)?.[1];
    if (url && line.includes('Ctrl-C')) return { child, url, link };
  }
}

async function signIn(url: string, link: string | undefined): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link }),
  });
  expect(response.status).toBe(200);
  return /session_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
}

interface Coverage {
  counts: { waiting: number };
  probes: { probe: string; status: string }[];
  remedies: { statement: string; probes: string[] }[];
}

async function coverage(url: string, token: string): Promise<Coverage> {
  const response = await fetch(`${url}/api/v1/connections/1/coverage`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

interface Info {
  collected_at: string | null;
  postgresql: { version: string | null };
  system: { memory_total_bytes: number | null };
  databases: { name: string }[];
  key_settings: unknown[];
}

async function serverInfo(url: string, token: string): Promise<Info> {
  const response = await fetch(`${url}/api/v1/server-info/1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

async function collected(url: string, token: string): Promise<Info> {
  for (;;) {
    const info = await serverInfo(url, token);
    if (info.key_settings.length > 0 && info.databases.length > 0 && info.system.memory_total_bytes !== null)
      return info;
    await sleep(100);
  }
}

it('ends quietly when nobody reads any further', async () => {
  const child = spawn(process.execPath, [script, 'config', 'reference'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // As `| head` does: the pipe is closed before anything was read.
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});

describe('with the embedded datastore', { timeout: 90_000 }, () => {
  it('shows true facts about itself, keeps sessions over a restart and leaves no process behind', async () => {
    const first = await running();
    const token = await signIn(first.url, first.link);
    const info = await collected(first.url, token);
    expect(info.postgresql.version).toMatch(/^PostgreSQL 18\./);
    expect(info.databases.map(({ name }) => name)).toEqual(['matriarch', 'postgres']);
    expect(info.key_settings).toHaveLength(16);
    const postmaster = Number(
      readFileSync(path.join(dataDir(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0],
    );
    expect(await first.child.kill('SIGINT')).toBe(0);
    expect(existsSync(`/proc/${postmaster}`)).toBe(false);
    const second = await running();
    expect((await serverInfo(second.url, token)).collected_at).not.toBeNull();
  });

  it('starts without anything missing that it could give itself', async () => {
    const { url, link } = await running();
    const token = await signIn(url, link);
    const now = () => coverage(url, token);
    await expect.poll(async () => (await now()).counts.waiting, { timeout: 60_000 }).toBe(0);
    const { probes, remedies } = await now();
    // What the machine of the test tells of itself is not ours to give.
    expect(remedies.filter((one) => one.probes.some((name) => !name.startsWith('pg_sys_')))).toEqual([]);
    const well = new Set(['ok', 'not_applicable', 'missing_source']);
    expect(probes.filter(({ status }) => !well.has(status))).toEqual([]);
    expect(probes.find(({ probe }) => probe === 'pg_hba_file_rules')?.status).toBe('ok');
  });

  it('survives kill -9 of everything', async () => {
    const first = await running();
    const token = await signIn(first.url, first.link);
    const postmaster = Number(
      readFileSync(path.join(dataDir(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0],
    );
    await first.child.kill('SIGKILL');
    try {
      process.kill(postmaster, 'SIGKILL');
    } catch {
      // It has noticed the death of its starter already.
    }
    const second = await running();
    expect((await collected(second.url, token)).key_settings).toHaveLength(16);
  });

  it('refuses a second process on the same data directory and names the first', async () => {
    const first = await running();
    const second = launch();
    expect(await second.ended).toBe(1);
    expect(second.errors()).toContain(`in use by process ${first.child.pid}`);
  });

  it('F26: goes on when PostgreSQL is killed under it, and ends with the reason when that happens again and again', async () => {
    const { child, url } = await running();
    const health = async () => {
      const response = await fetch(`${url}/health`);
      return { status: response.status, text: await response.text() };
    };
    const soon = { timeout: 60_000, interval: 20 };
    const postmaster = () =>
      Number(readFileSync(path.join(dataDir(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    let killed = 0;
    for (let death = 1; death <= 5; death += 1) {
      await expect
        .poll(async () => postmaster() !== killed && (await health()).status === 200, soon)
        .toBe(true);
      killed = postmaster();
      process.kill(killed, 'SIGKILL');
      if (death === 2 || death === 4)
        await expect
          .poll(health, soon)
          .toEqual({ status: 503, text: expect.stringContaining('is being started again') });
    }
    const said: string[] = [];
    for (let line = await child.line(); line !== null; line = await child.line()) said.push(line);
    expect(said.join('\n')).toContain('has ended 5 times within ten minutes and is not started again');
    expect(await child.ended).toBe(1);
  }, 180_000);
});

describe('with a datastore of one’s own', { timeout: 60_000 }, () => {
  it('embeds nothing and answers', async () => {
    const database = await testDatabase();
    try {
      const { child, url } = await running('--datastore-url', database.url.reveal());
      expect((await fetch(`${url}/health`)).status).toBe(200);
      expect(existsSync(path.join(dataDir(), 'postgres'))).toBe(false);
      expect(await child.kill('SIGTERM')).toBe(0);
    } finally {
      await database.close();
    }
  });

  it.each([
    [
      'a wrong password',
      (url: URL) => Object.assign(url, { password: 'wrong' }),
      'the password is not right',
    ],
    ['a missing database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), 'no such database'],
    ['nobody there', (url: URL) => Object.assign(url, { port: '1' }), 'nothing listens'],
  ])('says in a sentence: %s', async (_name, spoil, sentence) => {
    const url = spoil(new URL(inject('testServers').datastore.url));
    const child = launch('--datastore-url', url.toString());
    expect(await child.ended).toBe(1);
    expect(child.errors()).toContain(sentence);
    expect(
      child
        .errors()
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{')),
    ).toHaveLength(1);
  });
});

describe('mistakes stop the start with one sentence', { timeout: 60_000 }, () => {
  it.each([
    [['--log-level', 'loud'], '--log-level: found "loud", allowed is trace'],
    [['--prot', '1'], "unknown option '--prot'"],
    [['--web-root', '/nowhere'], 'has no index.html'],
  ])('%j', async (args, sentence) => {
    const child = launch(...args);
    expect(await child.ended).toBe(1);
    expect(child.errors()).toContain(sentence);
  });

  it('a port that is taken', async () => {
    const { url } = await running();
    const other = startChild({
      script,
      args: ['start', '--port', new URL(url).port, '--data-dir', path.join(folder, 'other')],
    });
    children.push(other);
    expect(await other.ended).toBe(1);
    expect(other.errors()).toContain('is taken by another program');
  });
});
