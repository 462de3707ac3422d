// The files of a cluster: initdb, configuration, log. Guards: a password never stands in an argument or an
// environment variable, a cluster appears only when initdb has finished (by rename), and what we set lies in one
// included file, so a person's own postgresql.conf is never rewritten.
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { UsageError } from '../kernel/errors.ts';
import type { Secret } from '../kernel/secret.ts';
import type { Binaries } from './binaries.ts';
import type { OsUser } from './os-user.ts';
import type { Setting } from './pg-process.ts';

/** PostgreSQL gets no environment of ours: PGDATA, PGPORT, LD_PRELOAD and the like must not leak into it. */
export const CLEAN_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
const INCLUDED = 'matriarch.conf';
const TAIL_BYTES = 16_384;
const TAIL_LINES = 12;

export function asUser(user: OsUser | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

/** Creates a file for `user` with mode 0600, its content never visible to anybody else. */
export function writePrivate(file: string, content: string, user: OsUser | null): void {
  rmSync(file, { force: true });
  writeFileSync(file, content, { mode: 0o600, flag: 'wx' });
  if (user) chownSync(file, user.uid, user.gid);
}

export function makeDirectory(directory: string, user: OsUser | null): void {
  mkdirSync(directory, { mode: 0o700 });
  if (user) chownSync(directory, user.uid, user.gid);
}

export interface CreateOptions {
  binaries: Binaries;
  /** Where the cluster shall be; must not exist, its parent must. */
  directory: string;
  user: OsUser | null;
  superuser: string;
  password: Secret;
  /** False only for clusters that may be lost. */
  sync: boolean;
}

function localeArguments(major: number): string[] {
  if (major >= 17) return ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  return process.platform === 'linux' ? ['--locale=C.UTF-8', '--lc-messages=C'] : ['--locale=C'];
}

async function run(program: string, args: string[], user: OsUser | null): Promise<void> {
  const child = spawn(program, args, {
    ...asUser(user),
    cwd: '/',
    env: CLEAN_ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-TAIL_BYTES);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(error.message));
  child.once('close', (code, signal) => resolve(code === 0 ? '' : `exit ${code ?? signal}`));
  const failure = await promise;
  if (failure !== '') {
    throw new UsageError(`${path.basename(program)} failed (${failure}):\n${lastLines(output)}`);
  }
}

/** Makes a new cluster: UTF-8, checksums, SCRAM, one superuser. All of it or nothing. */
export async function createCluster(options: CreateOptions): Promise<void> {
  const { binaries, directory, user, superuser, password, sync } = options;
  const unfinished = `${directory}.unfinished`;
  const passwordFile = `${directory}.initdb-password`;
  rmSync(unfinished, { recursive: true, force: true });
  makeDirectory(unfinished, user);
  writePrivate(passwordFile, `${password.reveal()}\n`, user);
  try {
    const args = [
      '-D',
      unfinished,
      '-U',
      superuser,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...localeArguments(binaries.major),
      '--data-checksums',
    ];
    await run(binaries.initdb, sync ? args : [...args, '--no-sync'], user);
    appendFileSync(path.join(unfinished, 'postgresql.conf'), `\ninclude_if_exists = '${INCLUDED}'\n`);
    renameSync(unfinished, directory);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function quoted(value: Setting): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number'
    ? String(value)
    : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

export interface ConfigOptions {
  directory: string;
  user: OsUser | null;
  settings: Record<string, Setting>;
  hba: readonly string[];
}

export function writeConfig({ directory, user, settings, hba }: ConfigOptions): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoted(value)}`);
  const head = '# Written by Matriarch at every start. Your own settings: alter system, or postgresql.conf.';
  writePrivate(path.join(directory, INCLUDED), `${[head, ...lines].join('\n')}\n`, user);
  writePrivate(path.join(directory, 'pg_hba.conf'), `${[head, ...hba].join('\n')}\n`, user);
}

/** A number we set at the last start, such as the port; null when there was none. */
export function configuredNumber(text: string, name: string): number | null {
  const match = new RegExp(`^${name} = (\\d+)$`, 'm').exec(text);
  return match ? Number(match[1]) : null;
}

export function logSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-TAIL_LINES).join('\n');
}

/** The last lines written at or after byte `from`. */
export function logTail(file: string, from = 0): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(from, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    readSync(descriptor, buffer, 0, buffer.length, start);
    return lastLines(buffer.toString());
  } finally {
    closeSync(descriptor);
  }
}

/** Empties a log that has grown past `limitBytes`, keeping what was in it as `<file>.1`. */
export function rotateLog(file: string, limitBytes: number, copy: (from: string, to: string) => void): void {
  if (logSize(file) <= limitBytes) return;
  copy(file, `${file}.1`);
  truncateSync(file, 0);
}
