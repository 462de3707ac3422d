// The embedded datastore is made, keeps what it has, and is reached by nobody else. Processes that were killed, ports and sockets
// that are taken, and other users are in embedded.proof.test.ts.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { datastoreClient } from '../kernel/datastore-url.ts';
import { isRunning } from '../kernel/file-lock.ts';
import { freshDir, query, readPid, startIn } from '../testing/faults/embedded-scene.ts';
import { childrenOf } from '../testing/faults/pause.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { stopOrphan } from './orphan.ts';

describe('the embedded datastore', () => {
  it('keeps data, port and password between starts and leaves no process behind', async () => {
    const dataDir = freshDir();
    const said: string[] = [];
    const first = await startIn(dataDir, said);
    expect(said.join()).toContain('Creating a PostgreSQL 18 datastore');
    expect(first.freshlyCreated).toBe(true);
    expect(Math.floor(first.versionNum / 10_000)).toBe(18);
    await query(first.superuserUrl, 'create table herd as select 7 as size');
    const processes = [first.pid, ...childrenOf(first.pid)];
    expect(processes.length).toBeGreaterThan(3);
    await first.stop();
    expect(processes.filter(isRunning)).toEqual([]);
    const second = await startIn(dataDir);
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
    const embedded = await startIn(freshDir());
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

  it('starts in a directory whose name has every odd character, and the program reaches it', async () => {
    const name = `with a space, of "ours" and 'theirs', back\\slash, per%20cent+plus`;
    const dataDir = path.join(path.dirname(freshDir()), name);
    const embedded = await startIn(dataDir);
    const client = new pg.Client(datastoreClient(embedded.superuserUrl));
    await client.connect();
    expect((await client.query('select 7 as size')).rows).toEqual([{ size: 7 }]);
    await client.end();
    await embedded.stop();
  });

  it('makes no empty cluster in place of one that was being restored', async () => {
    const dataDir = freshDir();
    mkdirSync(path.join(dataDir, 'postgres.restoring'), { recursive: true });
    await expect(startIn(dataDir)).rejects.toThrow(/restore was interrupted.*restore once more/);
    // A password of our own making would keep the restore from bringing that of the backup.
    expect(readdirSync(dataDir)).toEqual(['postgres.restoring']);
  });

  it('crosses out a recycled pid in postmaster.pid and harms nobody', async () => {
    const directory = path.join(testDirectory('embedded'), 'recycled');
    mkdirSync(directory);
    writeFileSync(path.join(directory, 'postmaster.pid'), `${process.pid}\n${directory}\n`);
    await stopOrphan(directory);
    expect(readPid(directory)).toBe(`2147483646\n${directory}\n`);
  });
});
