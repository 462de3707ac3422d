// What takes two gatherings to know: shares of processors' time, and which life of which machine counters belong to.
// Guards: readings of different machines, sources or boots are never compared, and nobody waits for a second reading.
import { type CpuShares, cpuShares } from './parse/cpu-times.ts';
import type { CpuTimes, HostFacts, HostField, HostProcess } from './types.ts';

export type FamilyRow = Readonly<Record<string, string | number | null>>;

/** What one gathering leaves for the next, so that differences can be made. */
export interface HostMemory {
  life?: { hostname: string; booted_at: number };
  cpu?: { times: CpuTimes; machine: string; booted_at: number | undefined };
  processes?: { cpuSeconds: ReadonlyMap<string, number>; machine: string; at: number };
}

export interface Observed {
  facts: HostFacts;
  /** The source that told a field. */
  sourceOf(field: HostField): string | undefined;
  /** Monotonic milliseconds. */
  at: number;
  /** Milliseconds since the epoch. */
  now: number;
}

const wholeOrNull = (value: number | undefined) => (value === undefined ? null : Math.round(value));
const orNull = <T>(value: T | undefined): T | null => value ?? null;

/** Tells a reading of another machine: an address may lead elsewhere after a failover. */
const machineOf = ({ facts, sourceOf }: Observed, field: HostField) =>
  `${sourceOf(field) ?? ''}/${facts.hostname ?? ''}`;

/** The boot time may be told a little differently each time; a reboot moves it by more. */
const SAME_BOOT_SECONDS = 30;

function sharesSince(memory: HostMemory, observed: Observed): CpuShares | undefined {
  const { cpu_times: times, booted_at } = observed.facts;
  const { cpu } = memory;
  const machine = machineOf(observed, 'cpu_times');
  if (!times || !cpu || cpu.machine !== machine) return undefined;
  const moved = booted_at !== undefined && cpu.booted_at !== undefined && booted_at - cpu.booted_at;
  if (moved !== false && Math.abs(moved) > SAME_BOOT_SECONDS) return undefined;
  return cpuShares(cpu.times, times);
}

/** The sum, or unknown when none of them is known. */
function sumOf(...shares: (number | undefined)[]): number | null {
  const known = shares.filter((share) => share !== undefined);
  return known.length === 0 ? null : known.reduce((sum, share) => sum + share, 0);
}

export function usageRows(observed: Observed, memory: HostMemory): FamilyRow[] {
  const shares = sharesSince(memory, observed) ?? {};
  const { user, nice, system, idle, iowait, irq, softirq } = shares;
  return [
    {
      usermode_normal_process_percent: orNull(user),
      usermode_niced_process_percent: orNull(nice),
      kernelmode_process_percent: orNull(system),
      io_completion_percent: orNull(iowait),
      servicing_irq_percent: orNull(irq),
      servicing_softirq_percent: orNull(softirq),
      idle_mode_percent: orNull(idle),
      user_time_percent: sumOf(user, nice),
      processor_time_percent: idle === undefined ? null : 100 - idle,
      privileged_time_percent: sumOf(system, irq, softirq),
      interrupt_time_percent: sumOf(irq, softirq),
    },
  ];
}

const MOST_PROCESSES = 50;

export function processRows(observed: Observed, memory: HostMemory): FamilyRow[] {
  const { facts } = observed;
  const before =
    memory.processes?.machine === machineOf(observed, 'processes') ? memory.processes : undefined;
  const total = facts.node_memory_total_bytes ?? facts.memory_total_bytes;
  const usageOf = (process: HostProcess): number | null => {
    const { pid, cpu_seconds, cpu_percent, running_since_seconds: age } = process;
    if (cpu_percent !== undefined) return cpu_percent;
    if (cpu_seconds === undefined || !before) return null;
    const elapsed = (observed.at - before.at) / 1000;
    // Younger than the last tick: all of its time falls into this one, also where the pid was somebody else's.
    const isNew = age !== undefined && age < elapsed;
    const spent = isNew ? cpu_seconds : cpu_seconds - (before.cpuSeconds.get(String(pid)) ?? Number.NaN);
    return elapsed > 0 && spent >= 0 ? (spent * 100) / elapsed : null;
  };
  const rows = (facts.processes ?? []).map((process) => ({
    pid: process.pid,
    name: process.name,
    running_since_seconds: wholeOrNull(process.running_since_seconds),
    cpu_usage: usageOf(process),
    memory_usage: total && process.memory_bytes !== undefined ? (process.memory_bytes * 100) / total : null,
    memory_bytes: wholeOrNull(process.memory_bytes),
  }));
  const busiest = rows.sort(
    (a, b) => (b.cpu_usage ?? -1) - (a.cpu_usage ?? -1) || (b.memory_bytes ?? 0) - (a.memory_bytes ?? 0),
  );
  return busiest.slice(0, MOST_PROCESSES);
}

/** Names one life of one machine, so that counters are never compared across; undefined where that is not known. */
export function lifeOf(memory: HostMemory, { facts }: Observed): string | undefined {
  const { hostname, booted_at } = facts;
  if (hostname === undefined || booted_at === undefined) return undefined;
  const { life } = memory;
  const isSame = life?.hostname === hostname && Math.abs(life.booted_at - booted_at) <= SAME_BOOT_SECONDS;
  const now = life && isSame ? life : { hostname, booted_at };
  memory.life = now;
  return `${now.hostname}/${now.booted_at}`;
}

/** Remembers what the next gathering is compared with. Returns true when that was the first reading of the CPUs. */
export function remember(memory: HostMemory, observed: Observed): boolean {
  const { facts, at } = observed;
  const isFirst = facts.cpu_times !== undefined && sharesSince(memory, observed) === undefined;
  if (facts.cpu_times) {
    const machine = machineOf(observed, 'cpu_times');
    memory.cpu = { times: facts.cpu_times, machine, booted_at: facts.booted_at };
  }
  if (facts.processes) {
    const seconds = facts.processes.flatMap(({ pid, cpu_seconds }) =>
      cpu_seconds === undefined ? [] : [[String(pid), cpu_seconds] as const],
    );
    memory.processes = { cpuSeconds: new Map(seconds), machine: machineOf(observed, 'processes'), at };
  }
  return isFirst;
}
