// Whether a monitored server runs where this process runs. An address proves nothing (a tunnel or a forwarded port
// looks local), so the server tells the pid and the start times of our session and of itself, and the kernel here
// has to tell the same: /proc/<pid>/stat of the session is a postgres process that began when the session began,
// and its parent is a postgres process that began when the server began. A process id alone would be a coincidence
// waiting to happen; two of them, related, with two matching times are not. Anything less is no proof.
import { readFile } from 'node:fs/promises';
import { sql } from '../../kernel/sql.ts';
import { type ProcStat, parseBootTime, parseProcStat } from './parse/proc-stat.ts';
import type { HostInput } from './types.ts';

/** What the server says of our session and of itself. Milliseconds since the epoch. */
export interface Claim {
  backend_pid: number;
  backend_started_at: number;
  postmaster_started_at: number;
}

/** What the kernel says; undefined for a process it does not show us. */
export interface ProcessFacts {
  boot_time_seconds: number | undefined;
  backend: ProcStat | undefined;
  postmaster: ProcStat | undefined;
}

// Clock ticks a second in /proc are 100 on every architecture Node runs on. The boot time is cut to whole seconds
// and a server notes its start a moment after the process began.
const TICKS_PER_SECOND = 100;
const TOLERANCE_MS = 3000;

const isPostgres = (process: ProcStat) => /postgres|postmaster/.test(process.comm);

export function isProved(claim: Claim, processFacts: ProcessFacts): boolean {
  const { boot_time_seconds, backend, postmaster } = processFacts;
  if (boot_time_seconds === undefined || !backend || !postmaster) return false;
  const startedAt = (process: ProcStat) =>
    boot_time_seconds * 1000 + (process.start_ticks * 1000) / TICKS_PER_SECOND;
  const near = (process: ProcStat, claimed: number) => Math.abs(startedAt(process) - claimed) <= TOLERANCE_MS;
  return (
    backend.pid === claim.backend_pid &&
    backend.ppid === postmaster.pid &&
    isPostgres(backend) &&
    isPostgres(postmaster) &&
    near(backend, claim.backend_started_at) &&
    near(postmaster, claim.postmaster_started_at)
  );
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function processOf(pid: number): Promise<ProcStat | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseProcStat(text);
}

async function look(backendPid: number): Promise<ProcessFacts> {
  const stat = await readText('/proc/stat');
  const backend = await processOf(backendPid);
  return {
    boot_time_seconds: stat === undefined ? undefined : parseBootTime(stat),
    backend,
    postmaster: backend ? await processOf(backend.ppid) : undefined,
  };
}

async function askClaim(query: HostInput['query']): Promise<Claim | undefined> {
  const [row] = await query(sql`/* hosts.local.claim */
    select a.pid as backend_pid,
      (extract(epoch from a.backend_start) * 1000)::float8 as backend_started_at,
      (extract(epoch from pg_postmaster_start_time()) * 1000)::float8 as postmaster_started_at
    from pg_stat_activity as a
    where a.pid = pg_backend_pid()`);
  const claim = {
    backend_pid: Number(row?.backend_pid ?? Number.NaN),
    backend_started_at: Number(row?.backend_started_at ?? Number.NaN),
    postmaster_started_at: Number(row?.postmaster_started_at ?? Number.NaN),
  };
  const known = Number.isInteger(claim.backend_pid) && claim.backend_pid > 1;
  return known && Object.values(claim).every(Number.isFinite) ? claim : undefined;
}

/** The pid of the server's main process on this machine, or undefined when that cannot be proved. */
export async function provePostmaster(query: HostInput['query']): Promise<number | undefined> {
  const claim = await askClaim(query);
  if (!claim) return undefined;
  const processFacts = await look(claim.backend_pid);
  return isProved(claim, processFacts) ? processFacts.postmaster?.pid : undefined;
}
