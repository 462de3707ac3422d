// From what is known of a machine to the rows of the probes pg_sys_*: which facts each is made of, and how. Guards:
// a value means the same whatever source it came from, shares of time come from two of our own ticks and never from
// waiting, and what nobody knows is null.
import { type CpuShares, cpuShares } from './parse/cpu-times.ts';
import type { CpuTimes, HostFacts, HostFamily, HostField } from './types.ts';
import { PRESSURE_KINDS } from './types.ts';

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

type Member<T> = T | null;
const orNull = <T>(value: T | undefined): Member<T> => value ?? null;
const whole = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value));

/** Tells a reading of another machine: an address may lead elsewhere after a failover. */
const machineOf = ({ facts, sourceOf }: Observed, field: HostField) =>
  `${sourceOf(field) ?? ''}/${facts.hostname ?? ''}`;

function osRows({ facts, now }: Observed): FamilyRow[] {
  const { up_seconds: up } = facts;
  const booted_at = facts.booted_at ?? (up === undefined ? undefined : Math.round(now / 1000 - up));
  return [
    {
      name: orNull(facts.os_name),
      version: orNull(facts.os_version),
      host_name: orNull(facts.hostname),
      domain_name: orNull(facts.domain_name),
      handle_count: orNull(facts.handle_count),
      process_count: orNull(facts.process_count),
      thread_count: orNull(facts.thread_count),
      architecture: orNull(facts.architecture),
      os_up_since_seconds: whole(up),
      last_bootup_time: booted_at === undefined ? null : new Date(booted_at * 1000).toISOString(),
    },
  ];
}

function cpuRows({ facts }: Observed): FamilyRow[] {
  return [
    {
      vendor: orNull(facts.cpu_vendor),
      description: orNull(facts.cpu_description),
      model_name: orNull(facts.cpu_model),
      processor_type: null,
      logical_processor: orNull(facts.cpu_logical),
      physical_processor: orNull(facts.cpu_sockets),
      no_of_cores: orNull(facts.cpu_cores),
      architecture: orNull(facts.architecture),
      clock_speed_hz: orNull(facts.cpu_clock_speed),
      cpu_type: orNull(facts.cpu_type),
      cpu_family: orNull(facts.cpu_family),
      byte_order: orNull(facts.byte_order),
      l1dcache_size: orNull(facts.l1d_cache_bytes),
      l1icache_size: orNull(facts.l1i_cache_bytes),
      l2cache_size: orNull(facts.l2_cache_bytes),
      l3cache_size: orNull(facts.l3_cache_bytes),
    },
  ];
}

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

function usageRows(observed: Observed, memory: HostMemory): FamilyRow[] {
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

function memoryRows({ facts }: Observed): FamilyRow[] {
  const { swap_total_bytes: swap, swap_used_bytes: swapUsed } = facts;
  return [
    {
      total_memory: orNull(facts.memory_total_bytes),
      used_memory: orNull(facts.memory_used_bytes),
      free_memory: orNull(facts.memory_free_bytes),
      swap_total: orNull(swap),
      swap_used: orNull(swapUsed),
      swap_free: swap === undefined || swapUsed === undefined ? null : Math.max(0, swap - swapUsed),
      cache_total: orNull(facts.memory_cache_bytes),
      kernel_total: null,
      kernel_paged: null,
      kernel_non_paged: null,
      total_page_file: null,
      avail_page_file: null,
    },
  ];
}

/** Counters are whole numbers, whatever a source makes of them. */
const rounded = (entry: object): FamilyRow =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === 'number' ? Math.round(value) : value,
    ]),
  );

const ioRows = ({ facts }: Observed): FamilyRow[] => (facts.io_devices ?? []).map(rounded);

const diskRows = ({ facts }: Observed): FamilyRow[] =>
  (facts.disks ?? []).map(({ total_inodes, free_inodes, ...disk }) => ({
    mount_point: disk.mount_point,
    drive_letter: null,
    file_system: orNull(disk.device),
    drive_type: null,
    file_system_type: disk.filesystem_type,
    total_space: disk.total_bytes,
    used_space: disk.used_bytes,
    free_space: disk.free_bytes,
    total_inodes: orNull(total_inodes),
    used_inodes:
      total_inodes === undefined || free_inodes === undefined
        ? null
        : Math.max(0, total_inodes - free_inodes),
    free_inodes: orNull(free_inodes),
  }));

const loadRows = ({ facts: { load } }: Observed): FamilyRow[] => [
  {
    load_avg_one_minute: orNull(load?.one),
    load_avg_five_minutes: orNull(load?.five),
    load_avg_ten_minutes: orNull(load?.ten),
    load_avg_fifteen_minutes: orNull(load?.fifteen),
  },
];

const countRows = ({ facts: { process_counts: counts } }: Observed): FamilyRow[] => [
  {
    total_processes: orNull(counts?.total),
    running_processes: orNull(counts?.running),
    sleeping_processes: orNull(counts?.sleeping),
    stopped_processes: orNull(counts?.stopped),
    zombie_processes: orNull(counts?.zombie),
  },
];

const networkRows = ({ facts }: Observed): FamilyRow[] =>
  (facts.interfaces ?? []).map(({ ip_address, link_speed_mbps, ...counters }) => ({
    ...rounded(counters),
    ip_address: orNull(ip_address),
    link_speed_mbps: orNull(link_speed_mbps),
  }));

const MOST_PROCESSES = 50;

function processRows(observed: Observed, memory: HostMemory): FamilyRow[] {
  const { facts } = observed;
  const before =
    memory.processes?.machine === machineOf(observed, 'processes') ? memory.processes : undefined;
  const total = facts.node_memory_total_bytes ?? facts.memory_total_bytes;
  const usageOf = (process: NonNullable<HostFacts['processes']>[number]): number | null => {
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
    running_since_seconds: whole(process.running_since_seconds),
    cpu_usage: usageOf(process),
    memory_usage: total && process.memory_bytes !== undefined ? (process.memory_bytes * 100) / total : null,
    memory_bytes: whole(process.memory_bytes),
  }));
  const busiest = rows.sort(
    (a, b) => (b.cpu_usage ?? -1) - (a.cpu_usage ?? -1) || (b.memory_bytes ?? 0) - (a.memory_bytes ?? 0),
  );
  return busiest.slice(0, MOST_PROCESSES);
}

const pressureRows = ({ facts: { pressure } }: Observed): FamilyRow[] => [
  Object.fromEntries(
    PRESSURE_KINDS.flatMap((kind) => [
      [`${kind}_avg10`, orNull(pressure?.[`${kind}_avg10`])],
      [`${kind}_ms`, orNull(pressure?.[`${kind}_ms`])],
    ]),
  ),
];

interface Family {
  /** Asked of every source until somebody knows. */
  fields: readonly HostField[];
  /** Without any of these the family is unknown. */
  needs: readonly HostField[];
  rows(observed: Observed, memory: HostMemory): FamilyRow[];
}

const CPU_INFO = [
  'cpu_model',
  'cpu_vendor',
  'cpu_family',
  'byte_order',
  'cpu_sockets',
  'cpu_cores',
  'cpu_logical',
  'cpu_clock_speed',
  'l1d_cache_bytes',
  'l1i_cache_bytes',
  'l2_cache_bytes',
  'l3_cache_bytes',
] as const;
const OS_INFO = ['os_name', 'os_version', 'hostname', 'architecture', 'up_seconds', 'booted_at'] as const;
const MEMORY = ['memory_total_bytes', 'memory_used_bytes', 'memory_free_bytes'] as const;

export const FAMILIES: Readonly<Record<HostFamily, Family>> = {
  os_info: {
    fields: [...OS_INFO, 'domain_name', 'handle_count', 'process_count', 'thread_count'],
    needs: OS_INFO,
    rows: osRows,
  },
  cpu_info: { fields: [...CPU_INFO, 'architecture'], needs: CPU_INFO, rows: cpuRows },
  cpu_usage: { fields: ['cpu_times', 'booted_at', 'hostname'], needs: ['cpu_times'], rows: usageRows },
  memory: {
    fields: [...MEMORY, 'memory_cache_bytes', 'swap_total_bytes', 'swap_used_bytes'],
    needs: MEMORY,
    rows: memoryRows,
  },
  io: { fields: ['io_devices', 'hostname', 'booted_at'], needs: ['io_devices'], rows: ioRows },
  disk: { fields: ['disks'], needs: ['disks'], rows: diskRows },
  load: { fields: ['load'], needs: ['load'], rows: loadRows },
  process_counts: { fields: ['process_counts'], needs: ['process_counts'], rows: countRows },
  network: { fields: ['interfaces', 'hostname', 'booted_at'], needs: ['interfaces'], rows: networkRows },
  processes: {
    fields: ['processes', 'hostname', 'node_memory_total_bytes'],
    needs: ['processes'],
    rows: processRows,
  },
  pressure: { fields: ['pressure', 'hostname', 'booted_at'], needs: ['pressure'], rows: pressureRows },
};

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
