// Processes on this machine: how many are in which state, and what each process of a PostgreSQL server uses. Guards:
// nothing is counted where /proc hides the processes of others, and memory and time stay bounded however many run.

import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { append } from '../../kernel/lists.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { type ProcStat, parseProcStat } from './parse/proc-stat.ts';
import { countStates, parseResident, parseTitle } from './parse/process.ts';
import type { HostFacts, HostProcess } from './types.ts';

const TICKS_PER_SECOND = 100;
const MOST_PROCESSES = 20_000;
const AT_ONCE = 64;
const MOST_TITLE = 200;

const text = (path: string) => readFile(path, 'utf8').catch(() => undefined);

/** A line of /proc/<pid>/stat; the name in it has 64 bytes at most. */
const line = Buffer.alloc(2048);

/** The kernel writes it from memory without waiting for anything, and faster than a thread is asked to read it. */
function statOf(pid: number): ProcStat | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
    return parseProcStat(line.toString('utf8', 0, readSync(file, line, 0, line.length, 0)));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function statsOf(pids: readonly number[]): Promise<ProcStat[]> {
  const all: ProcStat[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % AT_ONCE === 0) await yieldIfBusy();
    const stat = statOf(pid);
    if (stat) all.push(stat);
  }
  return all;
}

async function readAll<P, T>(pids: readonly P[], read: (pid: P) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let at = 0; at < pids.length; at += AT_ONCE)
    append(all, await Promise.all(pids.slice(at, at + AT_ONCE).map(read)));
  return all;
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
  const stats = await statsOf(pids);
  const family = stats.filter(({ pid, ppid }) => pid === postmaster || ppid === postmaster);
  const processes = await readAll(family, (stat) => describe(stat, upSeconds));
  const hidden = !stats.some(({ pid }) => pid === 1);
  const process_counts = countStates(stats.map(({ state }) => [state, 1]));
  return {
    processes,
    ...(hidden ? {} : { process_counts, process_count: process_counts.total }),
  };
}
