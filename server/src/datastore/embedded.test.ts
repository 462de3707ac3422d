import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../kernel/file-lock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { startChild } from '../testing/child.ts';
import { childrenOf } from '../testing/faults/pause.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { findBinaries } from './binaries.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { stopOrphan } from './orphan.ts';
import { canReach, findUser, isRoot, serverUser } from './os-user.ts';
import { asUser, createCluster } from './pg-files.ts';

const root = testDirectory('embedded');
const script = path.join(import.meta.dirname, '../testing/faults/hold-embedded.ts');
const nobody = findUser(readFileSync('/etc/passwd', 'utf8'), (user) => user.name === 'nobody') ?? null;
const nobodyCanRun =
  isRoot() && nobody !== null && canReach(process.execPath, nobody) && canReach(script, nobody);
let count = 0;

function freshDir(): string {
  count += 1;
  const parent = path.join(root, String(count));
  mkdirSync(parent, { mode: 0o711 });
  return path.join(parent, 'data');
}

const LAUNCHED = '(launched)';

function start(dataDir: string, said: string[] = []): Promise<Embedded> {
  return startEmbedded({
    dataDir,
    log: silentLog,
    progress: (sentence) => said.push(sentence),
    whenLaunched: () => said.push(LAUNCHED),
  });
}

async function query(url: Secret | string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: typeof url === 'string' ? url : url.reveal() });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

interface Facts {
  port: number;
  pid: number;
  url: string;
  refused?: string;
}

function facts(line: string | null): Facts {
  const parsed: Facts = JSON.parse(line ?? '{}');
  return parsed;
}

async function ended(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { timeout: 90_000 }).toBe(false);
}

describe('the embedded datastore', () => {
  it('keeps data, port and password between starts and leaves no process behind', async () => {
    const dataDir = freshDir();
    const said: string[] = [];
    const first = await start(dataDir, said);
    expect(said.join()).toContain('Creating a PostgreSQL 18 datastore');
    expect(said.filter((sentence) => sentence === LAUNCHED)).toHaveLength(1);
    expect(said.at(-1)).toBe(LAUNCHED);
    expect(first.freshlyCreated).toBe(true);
    expect(Math.floor(first.versionNum / 10_000)).toBe(18);
    await query(first.superuserUrl, 'create table herd as select 7 as size');
    const processes = [first.pid, ...childrenOf(first.pid)];
    expect(processes.length).toBeGreaterThan(3);
    await first.stop();
    expect(processes.filter(isRunning)).toEqual([]);
    const second = await start(dataDir);
    expect(second.freshlyCreated).toBe(false);
    expect(second.port).toBe(first.port);
    expect(await query(second.superuserUrl, 'select size from herd')).toBe(7);
    expect(
      await query(
        second.superuserUrl,
        `select count(*)::int from pg_available_extensions where name = 'pg_stat_statements'`,
      ),
    ).toBe(1);
    expect(await query(second.superuserUrl, 'show data_checksums')).toBe('on');
    expect(
      await query(
        second.superuserUrl,
        `select datcollate || datctype || encoding from pg_database where datname = 'matriarch'`,
      ),
    ).toBe('CC6');
    await second.stop();
  });

  it('listens on loopback only, and for our own sessions on a socket of its own, with a password', async () => {
    const embedded = await start(freshDir());
    const url = embedded.superuserUrl.reveal();
    const overLoopback = url.replace(/\?.*/, '');
    expect(await query(url, 'show listen_addresses')).toBe('127.0.0.1');
    expect(await query(url, 'select inet_server_addr()')).toBeNull();
    expect(await query(overLoopback, 'select host(inet_server_addr())')).toBe('127.0.0.1');
    for (const one of [url, overLoopback]) {
      const wrong = one.replace(/:[^:@]+@/, ':wrong@');
      await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication/);
    }
    const socket = path.join(embedded.dataDir, 'postgres', `.s.PGSQL.${embedded.port}`);
    expect(statSync(socket).mode & 0o777).toBe(0o700);
    await embedded.stop();
    expect(existsSync(socket)).toBe(false);
  });

  it('is reached over loopback where no socket can be', async () => {
    const dataDir = path.join(freshDir(), 'x'.repeat(100));
    mkdirSync(path.dirname(dataDir), { mode: 0o711 });
    const embedded = await start(dataDir);
    expect(await query(embedded.superuserUrl, 'select host(inet_server_addr())')).toBe('127.0.0.1');
    await embedded.stop();
  });

  it('starts where a server that was killed has left its socket, and its process id belongs to another process', async () => {
    const dataDir = freshDir();
    const first = await start(dataDir);
    await first.stop();
    const other = spawn('sleep', ['300'], asUser(serverUser()));
    const left = path.join(dataDir, 'postgres', `.s.PGSQL.${first.port}.lock`);
    // As PostgreSQL writes it, with the process id of somebody who is alive.
    writeFileSync(left, `${other.pid}\n${path.join(dataDir, 'postgres')}\n0\n${first.port}\n\n`);
    const second = await start(dataDir);
    expect(second.port).toBe(first.port);
    expect(await query(second.superuserUrl, 'select inet_server_addr()')).toBeNull();
    await second.stop();
    other.kill();
  });

  it('takes another port when its own is held by somebody else', async () => {
    const dataDir = freshDir();
    const first = await start(dataDir);
    await first.stop();
    const squatter = net.createServer().listen(first.port, '127.0.0.1');
    const second = await start(dataDir);
    expect(second.port).not.toBe(first.port);
    await second.stop();
    squatter.close();
  });

  it('refuses a second process and names the first', async () => {
    const dataDir = freshDir();
    await using holder = startChild({ script, args: [dataDir] });
    const { pid } = facts(await holder.line());
    await expect(start(dataDir)).rejects.toThrow(`in use by process ${holder.pid}:`);
    expect(await holder.kill('SIGTERM')).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });

  it('starts again after kill -9 of its process alone, and of everything', async () => {
    const dataDir = freshDir();
    await using first = startChild({ script, args: [dataDir] });
    const one = facts(await first.line());
    await query(one.url, 'create table herd as select 1 as size');
    await first.kill('SIGKILL');
    await using second = startChild({ script, args: [dataDir] });
    const two = facts(await second.line());
    await query(two.url, 'update herd set size = 2');
    for (const pid of [second.pid, two.pid, ...childrenOf(two.pid)]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Where setpriv exists, PostgreSQL ends together with the process that started it.
      }
    }
    await second.ended;
    const third = await start(dataDir);
    expect(await query(third.superuserUrl, 'select size from herd')).toBe(2);
    await third.stop();
  });

  it.skipIf(!existsSync('/usr/bin/setpriv'))('ends with the process that started it', async () => {
    await using holder = startChild({ script, args: [freshDir()] });
    const { pid } = facts(await holder.line());
    await holder.kill('SIGKILL');
    await ended(pid);
  });

  it('stops a server that was left behind on its files', async () => {
    const dataDir = freshDir();
    await (await start(dataDir)).stop();
    const user = serverUser();
    const directory = realpathSync(path.join(dataDir, 'postgres'));
    const { postgres } = findBinaries({ user });
    const orphan = spawn(postgres, ['-D', directory], {
      ...asUser(user),
      cwd: '/',
      env: {},
      stdio: 'ignore',
    });
    await expect.poll(() => readPid(directory)).toContain('ready');
    const said: string[] = [];
    const embedded = await start(dataDir, said);
    expect(said.join()).toContain(`Stopping PostgreSQL (process ${orphan.pid})`);
    expect(isRunning(orphan.pid ?? 0)).toBe(false);
    await embedded.stop();
  });

  it('crosses out a recycled pid in postmaster.pid and harms nobody', async () => {
    const directory = path.join(root, 'recycled');
    mkdirSync(directory);
    writeFileSync(path.join(directory, 'postmaster.pid'), `${process.pid}\n${directory}\n`);
    await stopOrphan(directory);
    expect(readPid(directory)).toBe(`2147483646\n${directory}\n`);
  });

  it('refuses another major version and changes nothing', async () => {
    const dataDir = freshDir();
    mkdirSync(dataDir, { mode: 0o711 });
    const user = serverUser();
    const binaries = findBinaries({ packageName: 'pg17', user });
    const directory = path.join(dataDir, 'postgres');
    const password = new Secret('x');
    await createCluster({ binaries, directory, user, superuser: 'postgres', password, sync: false });
    await expect(start(dataDir)).rejects.toThrow(
      /made by PostgreSQL 17, .* brings PostgreSQL 18: start the version/,
    );
    expect(readFileSync(path.join(directory, 'PG_VERSION'), 'utf8')).toBe('17\n');
    expect(existsSync(path.join(dataDir, 'matriarch.pid'))).toBe(false);
  });

  it('says what is missing: the password, or the place a link points to', async () => {
    const dataDir = freshDir();
    await (await start(dataDir)).stop();
    unlinkSync(path.join(dataDir, 'postgres.password'));
    await expect(start(dataDir)).rejects.toThrow(/postgres\.password, .* is missing/);
    const linked = freshDir();
    mkdirSync(linked, { mode: 0o711 });
    symlinkSync('/nowhere/at/all', path.join(linked, 'postgres'));
    await expect(start(linked)).rejects.toThrow(/points to \/nowhere\/at\/all, which is missing/);
  });
});

function readPid(directory: string): string {
  const file = path.join(directory, 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

describe('users', () => {
  it.skipIf(!nobodyCanRun)('works as an ordinary user, whose cluster root can start later', async () => {
    const dataDir = freshDir();
    if (nobody) chownSync(path.dirname(dataDir), nobody.uid, nobody.gid);
    await using holder = startChild({ script, args: [dataDir], user: nobody });
    const one = facts(await holder.line());
    expect(one.refused).toBeUndefined();
    expect(await query(one.url, 'select 1')).toBe(1);
    expect(await holder.kill('SIGTERM')).toBe(0);
    const embedded = await start(dataDir);
    expect(embedded.freshlyCreated).toBe(false);
    expect(readFileSync(`/proc/${embedded.pid}/status`, 'utf8')).toContain(`Uid:\t${nobody?.uid}\t`);
    await embedded.stop();
  });

  it.skipIf(!isRoot())(
    'as root below a directory the server cannot enter, keeps the files elsewhere',
    async () => {
      const parent = path.join(root, 'locked');
      mkdirSync(parent, { mode: 0o700 });
      const dataDir = path.join(parent, 'data');
      const said: string[] = [];
      const embedded = await start(dataDir, said);
      const directory = realpathSync(path.join(dataDir, 'postgres'));
      expect(directory).toMatch(/^\/var\/lib\/matriarch\/[0-9a-f]{16}$/);
      expect(said.join()).toContain(directory);
      await embedded.stop();
      const again = await start(dataDir, said.splice(0));
      expect(again.freshlyCreated).toBe(false);
      expect(said).toEqual([]);
      await again.stop();
      rmSync(directory, { recursive: true });
    },
  );
});
