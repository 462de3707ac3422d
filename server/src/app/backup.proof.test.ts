// matriarch backup and restore as a person runs them: a backup while the program collects, restored elsewhere and started there with all that
// was in it; the key apart; and everything that a restore refuses.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../cli/cli.ts';
import { settings } from '../cli/settings.ts';
import { openDataDir } from '../datastore/data-dir.ts';
import { systemClock } from '../kernel/clock.ts';
import { loadConfig, splitFlags } from '../kernel/config.ts';
import { silentLog } from '../kernel/log.ts';
import { script } from '../testing/app-process.ts';
import { type Child, startChild } from '../testing/child.ts';
import { query } from '../testing/faults/embedded-scene.ts';
import { startCluster, type TestCluster, testDirectory } from '../testing/servers/postgres.ts';

const root = path.join(testDirectory('backup'), 'root');
const at = (name: string) => path.join(root, name);
const ADMIN = { MATRIARCH_ADMIN_USERNAME: 'admin', MATRIARCH_ADMIN_PASSWORD: 'a password of many words' };

interface Ended {
  code: number | string;
  said: string;
}

/** The command line, as the program runs it. */
async function matriarch(...argv: string[]): Promise<Ended> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const { rest } = splitFlags(argv, settings);
  const io = {
    out: say,
    err: say,
    interactive: false,
    readSecret: () => expect.fail('asks for a secret'),
    db: () => expect.fail('opens the datastore'),
    migrate: () => expect.fail('changes the datastore'),
    clock: systemClock,
    log: silentLog,
    config: () => loadConfig({ settings, argv, env: {} }),
  };
  const code = await runCli(io, rest);
  return { code, said: lines.join('\n') };
}

const children: Child[] = [];
async function start(dataDir: string): Promise<{ child: Child; url: string }> {
  const args = ['start', '--port', '0', '--data-dir', dataDir];
  const child = startChild({ script, args, env: ADMIN });
  children.push(child);
  for (let line = await child.line(); line !== null; line = await child.line()) {
    const url = /is ready: (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`it ended early: ${child.errors()}`);
}

/** Of the embedded PostgreSQL that runs in the directory. */
function ask(dataDir: string, text: string): Promise<unknown> {
  const password = readFileSync(path.join(dataDir, 'postgres.password'), 'utf8').trim();
  const port = readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  return query(`postgres://postgres:${password}@127.0.0.1:${port}/matriarch`, text);
}

async function tokenOf(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username: ADMIN.MATRIARCH_ADMIN_USERNAME,
      password: ADMIN.MATRIARCH_ADMIN_PASSWORD,
    }),
  });
  expect(response.status).toBe(200);
  return /session_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
}

const SAMPLES = 'select count(*)::int from metrics.pg_stat_database where connection_id = 2';
const newest = (before: string) =>
  `select count(*)::int from metrics.pg_stat_database where connection_id = 2 and collected_at <= '${before}'`;

let watched: TestCluster;
beforeAll(async () => {
  mkdirSync(root, { mode: 0o711 });
  watched = await startCluster({});
});
afterAll(async () => {
  for (const child of children) await child.kill('SIGTERM');
  await watched[Symbol.asyncDispose]();
});

it('backs up while it collects, and all of it is there where it is restored', async () => {
  const original = await start(at('original'));
  const headers = {
    authorization: `Bearer ${await tokenOf(original.url)}`,
    'content-type': 'application/json',
  };
  const added = await fetch(`${original.url}/api/v1/connections`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      name: 'watched',
      host: watched.host,
      port: watched.port,
      database_name: 'postgres',
      username: 'postgres',
      password: watched.password,
      ssl_mode: 'disable',
      is_monitored: true,
    }),
  });
  expect(added.status).toBe(201);
  await expect.poll(() => ask(at('original'), SAMPLES), { timeout: 120_000 }).toBeGreaterThan(0);
  // Tables come, go and grow meanwhile, and old write-ahead log is thrown away.
  let isBusy = true;
  let made = 1;
  const busy = (async () => {
    for (; isBusy; made += 1) {
      await ask(at('original'), `drop table if exists public.busy_${made - 1}`);
      await ask(at('original'), `create table public.busy_${made} as select generate_series(1, 50000) as n`);
      await ask(at('original'), 'select pg_switch_wal()');
      await ask(at('original'), 'checkpoint');
    }
  })();
  const before = new Date(systemClock.now()).toISOString();
  const samples = await ask(at('original'), newest(before));
  const backup = await matriarch('backup', at('kept'), '--data-dir', at('original'));
  isBusy = false;
  await busy;
  expect(made).toBeGreaterThan(2);
  expect(backup).toEqual({
    code: 0,
    said: expect.stringMatching(/^Backed up \d+ files, [\d.]+ MB, to \S+\/kept\./),
  });
  expect(backup.said).toContain(
    `does not hold the key of stored passwords: it is ${at('original')}/secret.key`,
  );
  expect(readdirSync(at('kept')).sort()).toEqual(['backup.json', 'postgres', 'postgres.password']);
  expect(statSync(at('kept')).mode & 0o077).toBe(0);
  expect(await ask(at('original'), 'select count(*)::int from pg_replication_slots')).toBe(0);
  expect(await original.child.kill('SIGTERM')).toBe(0);

  expect(await matriarch('restore', at('kept'), '--verify')).toMatchObject({
    code: 0,
    said: expect.stringContaining('complete and undamaged'),
  });
  const restored = await matriarch('restore', at('kept'), '--data-dir', at('elsewhere'));
  expect(restored).toEqual({
    code: 0,
    said: expect.stringContaining(
      `put the copy of secret.key that you kept at ${at('elsewhere')}/secret.key`,
    ),
  });
  // Without the key it does not start, and no other key is made.
  await expect(start(at('elsewhere'))).rejects.toThrow(
    /The secret key file \S+secret\.key is missing, but this datastore holds secrets sealed with it/,
  );
  expect(existsSync(path.join(at('elsewhere'), 'secret.key'))).toBe(false);

  copyFileSync(path.join(at('original'), 'secret.key'), path.join(at('elsewhere'), 'secret.key'));
  const copy = await start(at('elsewhere'));
  expect(await ask(at('elsewhere'), newest(before))).toBe(samples);
  expect(
    await ask(at('elsewhere'), "select count(*)::int from matriarch.users where username = 'admin'"),
  ).toBe(1);
  // The original may still run and notify of the same.
  expect(await ask(at('elsewhere'), 'select reason from matriarch.notification_holds')).toMatch(
    /^this datastore was restored from the backup of 2/,
  );
  expect(existsSync(path.join(at('elsewhere'), 'restored'))).toBe(false);
  // The stored password opens: new samples come.
  const more = async () => Number(await ask(at('elsewhere'), SAMPLES)) > Number(samples);
  await expect.poll(more, { timeout: 120_000 }).toBe(true);
  expect(await tokenOf(copy.url)).not.toBe('');
  expect(await copy.child.kill('SIGTERM')).toBe(0);
});

describe('with a backup of a stopped datastore', () => {
  it('holds the key and the certificates when that is asked for, and restores them', async () => {
    const certificates = path.join(at('original'), 'certs');
    mkdirSync(certificates, { mode: 0o700 });
    writeFileSync(path.join(certificates, 'client.key'), 'of a test', { mode: 0o600 });
    const backup = await matriarch('backup', at('whole'), '--with-key', '--data-dir', at('original'));
    expect(backup).toMatchObject({ code: 0, said: expect.stringContaining('This backup holds the key') });
    const restored = await matriarch('restore', at('whole'), '--data-dir', at('third'));
    expect(restored).toMatchObject({
      code: 0,
      said: expect.stringContaining('The key of stored passwords is '),
    });
    // `restored` is for the first start, which holds notifications back.
    expect(readdirSync(at('third')).sort()).toEqual([
      'certs',
      'postgres',
      'postgres.password',
      'restored',
      'secret.key',
    ]);
    const third = await start(at('third'));
    expect(await third.child.kill('SIGTERM')).toBe(0);
  });

  it.each([
    [
      'a directory that is not empty',
      ['backup', at('kept'), '--data-dir', at('original')],
      'not an empty directory',
    ],
    [
      'a place within the data directory',
      ['backup', path.join(at('original'), 'x'), '--data-dir', at('original')],
      'within the data directory',
    ],
    [
      'a data directory without a datastore',
      ['backup', at('new'), '--data-dir', at('none')],
      'There is no embedded datastore',
    ],
    [
      'a datastore of its own',
      ['backup', at('new'), '--datastore-url', 'postgres://a@b/c'],
      'pg_dump or pg_basebackup',
    ],
    [
      'a key that is not there',
      ['backup', at('new'), '--with-key', '--secret-key-file', at('none'), '--data-dir', at('original')],
      'There is no key at',
    ],
    [
      'a restore over a datastore',
      ['restore', at('kept'), '--data-dir', at('original')],
      'a restore never overwrites one',
    ],
    ['a restore of nothing', ['restore', at('none'), '--data-dir', at('new')], 'There is no directory'],
    ['a restore of something else', ['restore', at('original'), '--data-dir', at('new')], 'is not a backup'],
  ])('refuses %s', async (_what, args, sentence) => {
    expect(await matriarch(...args)).toEqual({ code: 1, said: expect.stringContaining(sentence) });
    expect(existsSync(at('new'))).toBe(false);
  });

  it('refuses to restore into a directory that a running process uses, and into one with other files', async () => {
    const home = await openDataDir(at('fourth'));
    expect(await matriarch('restore', at('kept'), '--data-dir', at('fourth'))).toEqual({
      code: 1,
      said: expect.stringContaining(`is in use by process ${process.pid}`),
    });
    home.release();
    mkdirSync(at('other'));
    writeFileSync(path.join(at('other'), 'thesis.txt'), 'mine');
    expect(await matriarch('restore', at('kept'), '--data-dir', at('other'))).toEqual({
      code: 1,
      said: expect.stringContaining('is not empty (thesis.txt)'),
    });
  });

  it('knows a backup that was killed for what it is', async () => {
    const child = startChild({ script, args: ['backup', at('killed'), '--data-dir', at('original')] });
    await expect
      .poll(() => existsSync(path.join(at('killed'), 'postgres')), { timeout: 60_000, interval: 5 })
      .toBe(true);
    await child.kill('SIGKILL');
    expect(readdirSync(at('killed'))).not.toContain('backup.json');
    expect(await matriarch('restore', at('killed'), '--data-dir', at('new'))).toEqual({
      code: 1,
      said: expect.stringContaining('is not complete'),
    });
    expect(existsSync(at('new'))).toBe(false);
  });

  it('starts no empty datastore in place of one whose restore was killed, until it is restored', async () => {
    const target = at('half');
    const child = startChild({ script, args: ['restore', at('whole'), '--data-dir', target] });
    await expect
      .poll(() => existsSync(path.join(target, 'postgres.restoring')), { timeout: 60_000, interval: 5 })
      .toBe(true);
    await child.kill('SIGKILL');
    for (const args of [['start', '--port', '0'], ['migrate']]) {
      const next = startChild({ script, args: [...args, '--data-dir', target] });
      expect(await next.ended).toBe(1);
      expect(next.errors()).toContain('A restore was interrupted');
    }
    expect(existsSync(path.join(target, 'postgres'))).toBe(false);
    expect(await matriarch('restore', at('whole'), '--data-dir', target)).toMatchObject({ code: 0 });
    expect(existsSync(path.join(target, 'postgres.restoring'))).toBe(false);
  });

  it.each([
    ['a changed byte', (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size, 1))],
    ['a file that is cut', (file: string) => writeFileSync(file, '')],
    [
      'a changed list',
      () => {
        const list = path.join(at('damaged'), 'backup.json');
        writeFileSync(list, readFileSync(list, 'utf8').replace('"bytes": 8192', '"bytes": 8193'));
      },
    ],
  ])('finds %s, and leaves no half restored datastore', async (what, damage) => {
    await new Promise((resolve) => execFile('rm', ['-rf', at('damaged')], resolve));
    await new Promise((resolve) => execFile('cp', ['-a', at('whole'), at('damaged')], resolve));
    damage(path.join(at('damaged'), 'postgres', 'global', 'pg_control'));
    const target = at(`from ${what}`);
    for (const args of [['--verify'], ['--data-dir', target]])
      expect(await matriarch('restore', at('damaged'), ...args)).toEqual({
        code: 1,
        said: expect.stringContaining('damaged'),
      });
    expect(existsSync(path.join(target, 'postgres'))).toBe(false);
    expect(existsSync(path.join(target, 'postgres.restoring'))).toBe(false);
  });

  it('says when there is no space, and keeps nothing of it', async () => {
    mkdirSync(at('small'), { mode: 0o711 });
    const mounted = await new Promise((resolve) =>
      execFile(
        path.join('/usr/bin', 'mount'),
        ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', at('small')],
        (error) => resolve(error === null),
      ),
    );
    if (mounted !== true) return;
    try {
      chmodSync(at('small'), 0o700);
      const backup = await matriarch('backup', path.join(at('small'), 'kept'), '--data-dir', at('original'));
      expect(backup).toEqual({ code: 1, said: expect.stringContaining('there is no space left') });
      expect(readdirSync(at('small'))).toEqual([]);
    } finally {
      await new Promise((resolve) => execFile(path.join('/usr/bin', 'umount'), [at('small')], resolve));
    }
  });
});
