// matriarch checkup as people run it, and a server with something critical to be found.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { script } from './program.ts';
import { startCluster, type TestCluster, testDirectory } from './servers/postgres.ts';

/** Watches the server no longer than it must. */
export const SHORT = ['--seconds', '1'];

interface Ran {
  code: number | null;
  out: string;
  err: string;
  /** Files in the folder it was run in. */
  left: string[];
  folder: string;
}

/** Runs it as a process in a folder of its own. */
export function checkup(
  args: readonly string[],
  password?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const folder = mkdtempSync(path.join(testDirectory('checkup'), 'run-'));
  const child = spawn(process.execPath, [script, 'checkup', ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(password === undefined ? '' : `${password}\n`);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err, folder, left: readdirSync(folder) }));
  });
}

/** fsync is off, an index is there twice, and the role `reader` may do next to nothing. */
export async function criticalServer(): Promise<TestCluster> {
  const server = await startCluster({ settings: { fsync: false, full_page_writes: true } });
  await server.query('create database shop');
  await server.query("create role reader login password 'rather-secret'");
  await server.query('create table twice (a int)');
  await server.query('create index one on twice (a)');
  await server.query('create index two on twice (a)');
  return server;
}
