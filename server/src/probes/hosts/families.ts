// From what is known of a machine to the rows of the probes pg_sys_*: which facts each is made of, and how. Guards:
// a value means the same whatever source it came from, and what nobody knows is null. What takes two ticks to know is
// in between-ticks.ts.
import { type FamilyRow, type HostMemory, type Observed, processRows, usageRows } from './between-ticks.ts';
import { type HostFamily, type HostField, PRESSURE_KINDS } from './types.ts';

const orNull = <T>(value: T | undefined): T | null => value ?? null;
const whole = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value));

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
