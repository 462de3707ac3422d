// A server whose transaction and multixact ids are used up, as years of writes leave it: pg_resetwal moves the counters. It is no part of
// the packages of npm: where it is not installed, tests that need it are skipped, and say so by their name.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { serverUser } from '../../datastore/os-user.ts';
import { asUser, CLEAN_ENV } from '../../datastore/pg-files.ts';
import { MAJORS, type TestCluster } from './postgres.ts';

const programOf = (major: number, name: string) => `/usr/lib/postgresql/${major}/bin/${name}`;
/** The newest version that can be burnt here. */
export const BURNT_MAJOR = MAJORS.findLast((major) => existsSync(programOf(major, 'pg_resetwal')));
/** For the names of tests. */
export const BURNT = BURNT_MAJOR
  ? `PostgreSQL ${BURNT_MAJOR}`
  : 'PostgreSQL (skipped: run "apt-get install postgresql" first)';

const MOST_IDS = 2_147_483_647;
const PAGE_BYTES = 8192;
const SEGMENT_PAGES = 32;

const quiet = () => ({ ...asUser(serverUser()), env: CLEAN_ENV, stdio: 'pipe' as const });

/** The page of the next id, of zeroes: pg_resetwal makes none. */
function fill(directory: string, folder: string, page: number): void {
  const segment = Math.floor(page / SEGMENT_PAGES);
  const file = path.join(directory, folder, segment.toString(16).toUpperCase().padStart(4, '0'));
  if (existsSync(file)) return;
  const size = [`bs=${PAGE_BYTES}`, `count=${SEGMENT_PAGES}`];
  execFileSync('dd', ['if=/dev/zero', `of=${file}`, ...size], quiet());
}

/** Starts it anew with so many ids left before the oldest one. */
export async function burn(
  server: TestCluster,
  ids: 'transactions' | 'multixacts',
  left: number,
): Promise<void> {
  await server.shutdown();
  const run = (name: string, ...args: string[]) =>
    execFileSync(programOf(server.major, name), args, quiet()).toString();
  const told = run('pg_controldata', server.directory);
  const isOfTransactions = ids === 'transactions';
  const line = isOfTransactions ? /oldestXID:\s+(\d+)/ : /oldestMultiXid:\s+(\d+)/;
  const oldest = Number(line.exec(told)?.[1]);
  const next = oldest + MOST_IDS - left;
  if (isOfTransactions) fill(server.directory, 'pg_xact', Math.floor(next / (PAGE_BYTES * 4)));
  else fill(server.directory, 'pg_multixact/offsets', Math.floor(next / (PAGE_BYTES / 4)));
  run(
    'pg_resetwal',
    '-f',
    isOfTransactions ? '-x' : '-m',
    isOfTransactions ? `${next}` : `${next},${oldest}`,
    server.directory,
  );
  await server.start();
}
