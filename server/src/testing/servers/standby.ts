// A physical standby from npm's binaries, which bring no pg_basebackup: an online copy between the two backup
// functions, then streaming over the primary's socket.
import { cpSync, lchownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { OsUser } from '../../datastore/os-user.ts';
import { makeDirectory, writePrivate } from '../../datastore/pg-files.ts';
import type { TestServer } from './cluster.ts';

const LEFT_OUT = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'standby.signal',
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
]);
const LEFT_EMPTY = ['pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries', 'pg_replslot', 'pg_dynshmem'];

const START = {
  old: `/* testing.backup */ select pg_catalog.pg_start_backup('standby', true, false)`,
  now: `/* testing.backup */ select pg_catalog.pg_backup_start('standby', true)`,
};
const STOP = {
  old: `/* testing.backup_end */ select labelfile from pg_catalog.pg_stop_backup(false, false)`,
  now: `/* testing.backup_end */ select labelfile from pg_catalog.pg_backup_stop(false)`,
};

function copyTree(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (LEFT_OUT.has(name)) continue;
    cpSync(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true });
  }
}

function giveTo(directory: string, user: OsUser): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    lchownSync(path.join(entry.parentPath, entry.name), user.uid, user.gid);
  }
}

/** Fills `directory` with a copy of the running server that will follow it. */
export async function copyForStandby(
  primary: TestServer,
  directory: string,
  user: OsUser | null,
): Promise<void> {
  const age = primary.major < 15 ? 'old' : 'now';
  const { socketDir: host, port, superuser } = primary;
  const client = new pg.Client({ host, port, user: superuser, database: 'postgres' });
  await client.connect();
  try {
    await client.query(START[age]);
    makeDirectory(directory, user);
    copyTree(primary.directory, directory);
    for (const name of LEFT_EMPTY) mkdirSync(path.join(directory, name), { recursive: true, mode: 0o700 });
    const ended = await client.query<{ labelfile: string }>(STOP[age]);
    writeFileSync(path.join(directory, 'backup_label'), ended.rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  const auto = path.join(directory, 'postgresql.auto.conf');
  const from = `host=${host} port=${port} user=${superuser} application_name=${path.basename(path.dirname(directory))}`;
  const kept = readFileSync(auto, 'utf8');
  rmSync(auto);
  writeFileSync(auto, `${kept}primary_conninfo = '${from}'\n`, { mode: 0o600 });
  if (user) giveTo(directory, user);
  writePrivate(path.join(directory, 'standby.signal'), '', user);
}
