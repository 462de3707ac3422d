// The embedded datastore after processes were killed, where its port or socket is taken, and for other users of the machine. How it is
// made and kept: embedded.test.ts.
import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../kernel/file-lock.ts';
import { Secret } from '../kernel/secret.ts';
import { startChild } from '../testing/child.ts';
import { facts, freshDir, holderScript, query, readPid, startIn } from '../testing/faults/embedded-scene.ts';
import { childrenOf } from '../testing/faults/pause.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { findBinaries } from './binaries.ts';
import { canReach, findUser, isRoot, serverUser } from './os-user.ts';
import { asUser, createCluster } from './pg-files.ts';

const nobody = findUser(readFileSync('/etc/passwd', 'utf8'), (user) => user.name === 'nobody') ?? null;
const nobodyCanRun =
  isRoot() && nobody !== null && canReach(process.execPath, nobody) && canReach(holderScript, nobody);
async function ended(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { timeout: 90_000 }).toBe(false);
}

describe('the embedded datastore', () => {
  it('is reached over loopback where no socket can be', async () => {
    const dataDir = path.join(freshDir(), 'x'.repeat(100));
    mkdirSync(path.dirname(dataDir), { mode: 0o711 });
    const embedded = await startIn(dataDir);
    expect(await query(embedded.superuserUrl, 'select host(inet_server_addr())')).toBe('127.0.0.1');
    await embedded.stop();
  });

  it('starts where a server that was killed has left its socket, and its process id belongs to another process', async () => {
    const dataDir = freshDir();
    const first = await startIn(dataDir);
    await first.stop();
    const other = spawn('sleep', ['300'], asUser(serverUser()));
    const left = path.join(dataDir, 'postgres', `.s.PGSQL.${first.port}.lock`);
    // As PostgreSQL writes it, with the process id of somebody who is alive.
    writeFileSync(left, `${other.pid}\n${path.join(dataDir, 'postgres')}\n0\n${first.port}\n\n`);
    const second = await startIn(dataDir);
    expect(second.port).toBe(first.port);
    expect(await query(second.superuserUrl, 'select inet_server_addr()')).toBeNull();
    await second.stop();
    other.kill();
  });

  it('takes another port when its own is held by somebody else', async () => {
    const dataDir = freshDir();
    const first = await startIn(dataDir);
    await first.stop();
    const squatter = net.createServer().listen(first.port, '127.0.0.1');
    const second = await startIn(dataDir);
    expect(second.port).not.toBe(first.port);
    await second.stop();
    squatter.close();
  });

  it('refuses a second process and names the first', async () => {
    const dataDir = freshDir();
    await using holder = startChild({ script: holderScript, args: [dataDir] });
    const { pid } = facts(await holder.line());
    await expect(startIn(dataDir)).rejects.toThrow(`in use by process ${holder.pid}:`);
    expect(await holder.kill('SIGTERM')).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });

  it('starts again after kill -9 of its process alone, and of everything', async () => {
    const dataDir = freshDir();
    await using first = startChild({ script: holderScript, args: [dataDir] });
    const one = facts(await first.line());
    await query(one.url, 'create table herd as select 1 as size');
    await first.kill('SIGKILL');
    await using second = startChild({ script: holderScript, args: [dataDir] });
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
    const third = await startIn(dataDir);
    expect(await query(third.superuserUrl, 'select size from herd')).toBe(2);
    await third.stop();
  });

  it.skipIf(!existsSync('/usr/bin/setpriv'))('ends with the process that started it', async () => {
    await using holder = startChild({ script: holderScript, args: [freshDir()] });
    const { pid } = facts(await holder.line());
    await holder.kill('SIGKILL');
    await ended(pid);
  });

  it('stops a server that was left behind on its files', async () => {
    const dataDir = freshDir();
    await (await startIn(dataDir)).stop();
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
    const embedded = await startIn(dataDir, said);
    expect(said.join()).toContain(`Stopping PostgreSQL (process ${orphan.pid})`);
    expect(isRunning(orphan.pid ?? 0)).toBe(false);
    await embedded.stop();
  });

  it('refuses another major version and changes nothing', async () => {
    const dataDir = freshDir();
    mkdirSync(dataDir, { mode: 0o711 });
    const user = serverUser();
    const binaries = findBinaries({ packageName: 'pg17', user });
    const directory = path.join(dataDir, 'postgres');
    const password = new Secret('x');
    await createCluster({ binaries, directory, user, superuser: 'postgres', password, sync: false });
    await expect(startIn(dataDir)).rejects.toThrow(
      /made by PostgreSQL 17, .* brings PostgreSQL 18: start the version/,
    );
    expect(readFileSync(path.join(directory, 'PG_VERSION'), 'utf8')).toBe('17\n');
    expect(existsSync(path.join(dataDir, 'matriarch.pid'))).toBe(false);
  });

  it('says what is missing: the password, or the place a link points to', async () => {
    const dataDir = freshDir();
    await (await startIn(dataDir)).stop();
    unlinkSync(path.join(dataDir, 'postgres.password'));
    await expect(startIn(dataDir)).rejects.toThrow(/postgres\.password, .* is missing/);
    const linked = freshDir();
    mkdirSync(linked, { mode: 0o711 });
    symlinkSync('/nowhere/at/all', path.join(linked, 'postgres'));
    await expect(startIn(linked)).rejects.toThrow(/points to \/nowhere\/at\/all, which is missing/);
  });
});

describe('users', () => {
  it.skipIf(!nobodyCanRun)('works as an ordinary user, whose cluster root can start later', async () => {
    const dataDir = freshDir();
    if (nobody) chownSync(path.dirname(dataDir), nobody.uid, nobody.gid);
    await using holder = startChild({ script: holderScript, args: [dataDir], user: nobody });
    const one = facts(await holder.line());
    expect(one.refused).toBeUndefined();
    expect(await query(one.url, 'select 1')).toBe(1);
    expect(await holder.kill('SIGTERM')).toBe(0);
    const embedded = await startIn(dataDir);
    expect(embedded.freshlyCreated).toBe(false);
    expect(readFileSync(`/proc/${embedded.pid}/status`, 'utf8')).toContain(`Uid:\t${nobody?.uid}\t`);
    await embedded.stop();
  });

  it.skipIf(!isRoot())(
    'as root below a directory the server cannot enter, keeps the files elsewhere',
    async () => {
      const parent = path.join(testDirectory('embedded'), 'locked');
      mkdirSync(parent, { mode: 0o700 });
      const dataDir = path.join(parent, 'data');
      const said: string[] = [];
      const embedded = await startIn(dataDir, said);
      const directory = realpathSync(path.join(dataDir, 'postgres'));
      expect(directory).toMatch(/^\/var\/lib\/matriarch\/[0-9a-f]{16}$/);
      expect(said.join()).toContain(directory);
      await embedded.stop();
      const again = await startIn(dataDir, said.splice(0));
      expect(again.freshlyCreated).toBe(false);
      expect(said).toEqual([]);
      await again.stop();
      rmSync(directory, { recursive: true });
    },
  );
});
