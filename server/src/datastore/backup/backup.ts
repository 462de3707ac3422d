// matriarch backup: a base backup of the embedded datastore while it runs. The PostgreSQL that is shipped has neither pg_dump nor
// pg_basebackup, so the files are copied between pg_backup_start and pg_backup_stop, with the write-ahead log that makes them consistent.
// Guards: a replication slot of this session alone keeps that log; nothing of a backup that failed is left behind.
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { errorCode, UsageError } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { withSession } from '../../kernel/session.ts';
import { VERSION } from '../../kernel/version.ts';
import { CONTROL_FILE, clusterFiles, isVacant, walFiles } from './cluster-files.ts';
import { type Content, contentOf, copyFile, forEachFile } from './copy-file.ts';
import { BACKUP_FORMAT, type BackupFile, beginManifest, finishManifest, type Manifest } from './manifest.ts';

/** The cluster within a backup, and in a data directory. */
export const CLUSTER = 'postgres';
export const PASSWORD_FILE = 'postgres.password';

export interface Extra {
  /** Absolute. */
  from: string;
  /** Within the backup. */
  name: string;
}

export interface BackupOptions {
  /** Of the running embedded PostgreSQL, as its superuser. */
  url: Secret;
  dataDir: string;
  target: string;
  /** Files beside the cluster. */
  extras: readonly Extra[];
  clock: Clock;
}

export const platform = () => `${process.platform}-${process.arch}`;

interface Taking {
  client: pg.Client;
  cluster: string;
  target: string;
  files: BackupFile[];
}

const wireTime = (clock: Clock) => new Date(clock.now()).toISOString();

/** Makes the empty directory of the backup; answers what removes all of it again. */
function openTarget(directory: string, dataDir: string): () => void {
  const target = path.resolve(directory);
  const home = realpathSync(dataDir);
  if (!isVacant(target))
    throw new UsageError(`${target} is not an empty directory: name one that is empty or does not exist.`);
  let made: string | undefined;
  try {
    made = mkdirSync(target, { recursive: true, mode: 0o700 });
    const real = realpathSync(target);
    if (`${real}/`.startsWith(`${home}/`))
      throw new UsageError(`${target} is within the data directory ${home}: name a directory elsewhere.`);
    beginManifest(target);
  } catch (error) {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${target} cannot be written to (${errorCode(error) ?? String(error)}).`);
  }
  return () => rmSync(made ?? target, { recursive: true, force: true });
}

/** A table may be dropped while it is copied; then the write-ahead log says so. */
async function copyIfThere({ cluster, target, files }: Taking, relative: string): Promise<void> {
  const to = path.join(target, CLUSTER, relative);
  try {
    const content = await copyFile(path.join(cluster, relative), to);
    files.push({ path: `${CLUSTER}/${relative}`, ...content });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    rmSync(to, { force: true });
  }
}

/** It is written now and then, in one piece of one page: twice the same is whole. */
async function copyControlFile({ cluster, target, files }: Taking): Promise<void> {
  const from = path.join(cluster, CONTROL_FILE);
  const to = path.join(target, CLUSTER, CONTROL_FILE);
  let content = readFileSync(from);
  for (let again = readFileSync(from); !again.equals(content); again = readFileSync(from)) content = again;
  writeFileSync(to, content, { mode: 0o600, flag: 'wx', flush: true });
  files.push({ path: `${CLUSTER}/${CONTROL_FILE}`, ...(await contentOf(to)) });
}

async function writeFileOf(taking: Taking, name: string, text: string): Promise<void> {
  const file = path.join(taking.target, CLUSTER, name);
  writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true });
  taking.files.push({ path: `${CLUSTER}/${name}`, ...(await contentOf(file)) });
}

interface Stopped {
  label: string;
  last: string;
}

async function stopBackup(client: pg.Client): Promise<Stopped> {
  const { rows } = await client.query<Stopped>(
    `/* backup.stop */ select labelfile as label, pg_catalog.pg_walfile_name(lsn) as last
     from pg_catalog.pg_backup_stop(wait_for_archive => false)`,
  );
  const [row] = rows;
  if (!row) throw new Error('pg_backup_stop answered nothing');
  return row;
}

/** Answers the directories of the cluster; `files` has its files then. */
async function copyCluster(taking: Taking): Promise<string[]> {
  const { client, cluster, target } = taking;
  await client.query(
    `/* backup.keep_wal */ select pg_catalog.pg_create_physical_replication_slot(
       'matriarch_backup_' || pg_catalog.pg_backend_pid(), true, true)`,
  );
  await client.query(`/* backup.start */ select pg_catalog.pg_backup_start('matriarch backup', true)`);
  const found = clusterFiles(cluster);
  const root = path.join(target, CLUSTER);
  mkdirSync(root, { mode: 0o700 });
  for (const name of found.directories) mkdirSync(path.join(root, name), { mode: 0o700 });
  await forEachFile(found.files, (name) => copyIfThere(taking, name));
  await copyControlFile(taking);
  const { label, last } = await stopBackup(client);
  const first = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? '';
  await writeFileOf(taking, 'backup_label', label);
  await forEachFile(walFiles(cluster, first, last), (name) => copyIfThere(taking, name));
  return found.directories;
}

async function versionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ num: number }>(
    `/* backup.version */ select pg_catalog.current_setting('server_version_num')::int as num`,
  );
  return rows[0]?.num ?? 0;
}

async function take(options: BackupOptions, client: pg.Client): Promise<Manifest> {
  const { dataDir, target, extras, clock } = options;
  const started_at = wireTime(clock);
  const files: BackupFile[] = [];
  const cluster = realpathSync(path.join(dataDir, CLUSTER));
  const directories = await copyCluster({ client, cluster, target, files });
  for (const { from, name } of extras) {
    const to = path.join(target, name);
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    const content: Content = await copyFile(from, to);
    files.push({ path: name, ...content });
  }
  return {
    format: BACKUP_FORMAT,
    started_at,
    finished_at: wireTime(clock),
    matriarch_version: VERSION,
    postgresql_version_num: await versionOf(client),
    platform: platform(),
    directories: directories.map((name) => `${CLUSTER}/${name}`),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function sentenceOf(error: unknown, target: string): unknown {
  if (error instanceof UsageError) return error;
  const removed = 'Nothing of it was kept.';
  if (error instanceof pg.DatabaseError)
    return new UsageError(`The backup failed: PostgreSQL says "${error.message}". ${removed}`);
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new UsageError(`The backup failed: there is no space left for ${target}. ${removed}`);
  if (code !== undefined || (error instanceof Error && /terminated|ECONN/.test(error.message)))
    return new UsageError(
      `The backup failed: ${error instanceof Error ? error.message : String(error)}. ${removed}`,
    );
  return error;
}

/** Makes the backup in `target`, which must be vacant; answers what is in it. Throws a UsageError with a sentence, and removes it. */
export async function backUp(options: BackupOptions): Promise<Manifest> {
  const target = path.resolve(options.target);
  const remove = openTarget(target, options.dataDir);
  try {
    const own = { ...options, target };
    const session = { url: options.url, applicationName: 'matriarch backup' };
    const manifest = await withSession(session, (client) => take(own, client));
    finishManifest(target, manifest);
    return manifest;
  } catch (error) {
    remove();
    throw sentenceOf(error, target);
  }
}
