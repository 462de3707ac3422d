// Processes on this machine: how many are in which state, and what each process of a PostgreSQL server uses. Guards:
// nothing is counted where /proc hides the processes of others, and memory and time stay bounded however many run.

import { readdir, readFile } from 'node:fs/promises';
import { append } from '../kernel/lists.ts';
import { type ProcStat, parseProcStat } from './parse/proc-stat.ts';
import { countStates, parseResident, parseTitle } from './parse/process.ts';
import type { HostFacts, HostProcess } from './types.ts';

const TICKS_PER_SECOND = 100;
const MOST_PROCESSES = 20_000;
const AT_ONCE = 64;
const MOST_TITLE = 200;

const text = (path: string) => readFile(path, 'utf8').catch(() => undefined);

async function readAll<P, T>(pids: readonly P[], read: (pid: P) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let at = 0; at < pids.length; at += AT_ONCE)
    append(all, await Promise.all(pids.slice(at, at + AT_ONCE).map(read)));
  return all;
}

async function statOf(pid: number): Promise<ProcStat | undefined> {
  const stat = await text(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseProcStat(stat);
}

async function describe(stat: ProcStat, upSeconds: number | undefined): Promise<HostProcess> {
  const [status, cmdline] = await Promise.all([
    text(`/proc/${stat.pid}/status`),
    text(`/proc/${stat.pid}/cmdline`),
  ]);
  const memory_bytes = parseResident(status);
  const age = upSeconds === undefined ? undefined : upSeconds - stat.start_ticks / TICKS_PER_SECOND;
  return {
    pid: stat.pid,
    name: (parseTitle(cmdline) ?? stat.comm).slice(0, MOST_TITLE),
    ...(age === undefined ? {} : { running_since_seconds: Math.max(0, age) }),
    cpu_seconds: stat.cpu_ticks / TICKS_PER_SECOND,
    ...(memory_bytes === undefined ? {} : { memory_bytes }),
  };
}

/** `postmaster` is the pid of the server's main process. */
export async function readProcesses(postmaster: number, upSeconds: number | undefined): Promise<HostFacts> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names
    .filter((name) => /^\d+$/.test(name))
    .slice(0, MOST_PROCESSES)
    .map(Number);
  const stats = (await readAll(pids, statOf)).filter((stat) => stat !== undefined);
  const family = stats.filter(({ pid, ppid }) => pid === postmaster || ppid === postmaster);
  const processes = await readAll(family, (stat) => describe(stat, upSeconds));
  const hidden = !stats.some(({ pid }) => pid === 1);
  const process_counts = countStates(stats.map(({ state }) => [state, 1]));
  return {
    processes,
    ...(hidden ? {} : { process_counts, process_count: process_counts.total }),
  };
}
