// The program as a person starts it, with real processes, signals and HTTP, also when something is in its way: killed processes, a
// data directory or a port that is taken, a datastore that cannot be reached.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import {
  collected,
  dataDir,
  eachInItsFolder,
  launch,
  running,
  script,
  serverInfo,
  signIn,
  startWith,
} from '../testing/app-process.ts';
import { startChild } from '../testing/child.ts';
import { testDatabase } from '../testing/servers/database.ts';

eachInItsFolder();

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

describe('with the embedded datastore', () => {
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

  it('shows true facts about itself, keeps sessions over a restart and leaves no process behind', async () => {
    const first = await running();
    const token = await signIn(first.url, first.link);
    const info = await collected(first.url, token);
    expect(info.postgresql.version).toMatch(/^PostgreSQL 18\./);
    expect(info.databases.map(({ name }) => name)).toEqual(['matriarch', 'postgres']);
    expect(info.key_settings).toHaveLength(16);
    const asked = await fetch(`${first.url}/api/v1/mcp/tools/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'query_datastore',
        arguments: { query: 'select count(*) as many from connections' },
      }),
    });
    const said = JSON.stringify(await asked.json());
    expect(said).toContain('many');
    expect(said).not.toContain('"isError":true');
    const postmaster = Number(
      readFileSync(path.join(dataDir(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0],
    );
    expect(await first.child.kill('SIGINT')).toBe(0);
    expect(existsSync(`/proc/${postmaster}`)).toBe(false);
    const second = await running();
    expect((await serverInfo(second.url, token)).collected_at).not.toBeNull();
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

describe('with a datastore of one’s own', () => {
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

describe('mistakes stop the start with one sentence', () => {
  it.each([
    [['--prot', '1'], "unknown option '--prot'"],
    [['--prot', '1'], 'Did you mean --port?'],
    [['--web-root', '/nowhere'], 'has no index.html'],
  ])('%j', async (args, sentence) => {
    const child = launch(...args);
    expect(await child.ended).toBe(1);
    expect(child.errors()).toContain(sentence);
  });

  it.each([
    [['user', 'list'], 1],
    [['token', 'list'], 1],
    [['store', 'status'], 1],
    [['doctor'], 2],
  ])('%j in a directory without a datastore, where it makes none', async (command, status) => {
    const child = startChild({ script, args: [...command, '--data-dir', dataDir('wrong')] });
    expect(await child.ended).toBe(status);
    expect(child.errors()).toContain('There is no datastore in');
    expect(existsSync(dataDir('wrong'))).toBe(false);
  });

  it('a port that is taken', async () => {
    const { url } = await running();
    const other = startWith(['--port', new URL(url).port, '--data-dir', dataDir('other')]);
    expect(await other.ended).toBe(1);
    expect(other.errors()).toContain('is taken by another program');
    // Nothing was prepared or collected by a process that could not answer.
    expect(other.errors()).not.toContain('datastore.migrated');
  });
});
