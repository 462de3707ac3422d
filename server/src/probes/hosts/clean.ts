// Whatever a source sends is cut to sane values before anybody uses it: texts without control characters, numbers
// that can be true, lists that end. A member of a list that lacks a number it needs is left out whole.
import {
  type HostDisk,
  type HostFacts,
  type HostField,
  type HostProcess,
  type HostValue,
  PRESSURE_KINDS,
} from './types.ts';

const MOST_TEXT = 255;
const MOST_ENTRIES = 64;
const MOST_PROCESSES = 20_000;
const MOST_CPUS = 1_000_000;

const TEXTS = [
  'os_name',
  'os_version',
  'architecture',
  'hostname',
  'domain_name',
  'cpu_model',
  'cpu_vendor',
  'cpu_description',
  'cpu_type',
  'cpu_family',
  'byte_order',
] as const;
const CPUS = ['cpu_sockets', 'cpu_cores', 'cpu_logical'] as const;
const WHOLE = [
  'handle_count',
  'process_count',
  'thread_count',
  'up_seconds',
  'booted_at',
  'cpu_clock_speed',
  'l1d_cache_bytes',
  'l1i_cache_bytes',
  'l2_cache_bytes',
  'l3_cache_bytes',
  'memory_total_bytes',
  'memory_used_bytes',
  'memory_free_bytes',
  'memory_cache_bytes',
  'swap_total_bytes',
  'swap_used_bytes',
  'node_memory_total_bytes',
  'cgroup_memory_limit_bytes',
] as const;

export function cleanText(value: string | null | undefined, most = MOST_TEXT): string | undefined {
  const clean = value
    ?.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, most);
  return clean || undefined;
}

function wholeNumber(value: number | undefined, most = Number.MAX_SAFE_INTEGER): number | undefined {
  if (value === undefined || !Number.isFinite(value) || value < 0 || value > most) return undefined;
  return Math.round(value);
}

const isSane = (value: number) => Number.isFinite(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** The entry with its texts cleaned; undefined when a name is empty or a number cannot be true. */
function cleanEntry<T extends object>(entry: T): T | undefined {
  const clean = { ...entry };
  for (const [key, value] of Object.entries(entry)) {
    if (typeof value === 'number' && !isSane(value)) return undefined;
    if (typeof value !== 'string') continue;
    const text = cleanText(value);
    if (text === undefined) return undefined;
    Object.assign(clean, { [key]: text });
  }
  return clean;
}

function cleanList<T extends object>(entries: readonly T[], most = MOST_ENTRIES): T[] {
  return entries.flatMap((entry) => cleanEntry(entry) ?? []).slice(0, most);
}

function cleanDisk(disk: HostDisk): HostDisk[] {
  const { device, total_inodes, free_inodes, ...rest } = disk;
  const sizes = cleanEntry(rest);
  if (!sizes) return [];
  const [name, inodes, unused] = [cleanText(device), wholeNumber(total_inodes), wholeNumber(free_inodes)];
  return [
    {
      ...sizes,
      total_bytes: Math.round(sizes.total_bytes),
      used_bytes: Math.round(sizes.used_bytes),
      free_bytes: Math.round(sizes.free_bytes),
      ...(name === undefined ? {} : { device: name }),
      ...(inodes === undefined || unused === undefined
        ? {}
        : { total_inodes: inodes, free_inodes: Math.min(unused, inodes) }),
    },
  ];
}

/** The idle time under a cgroup's limit may be below zero: only differences of it mean something. */
function cleanTimes(times: NonNullable<HostFacts['cpu_times']>): HostFacts['cpu_times'] {
  const { idle, ...rest } = times;
  return Number.isFinite(idle) && cleanEntry(rest) ? times : undefined;
}

function cleanPressure(pressure: NonNullable<HostFacts['pressure']>): HostFacts['pressure'] {
  const keys = PRESSURE_KINDS.flatMap((kind) => [`${kind}_avg10`, `${kind}_ms`] as const);
  const found = keys.flatMap((key) => {
    const value = pressure[key];
    return value !== undefined && isSane(value) ? [[key, value] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

const cleanProcesses = (processes: readonly HostProcess[]) => cleanList(processes, MOST_PROCESSES);

/** The facts without anything that cannot be true. */
export function cleanFacts(facts: HostFacts): Map<HostField, NonNullable<HostValue>> {
  const clean = new Map<HostField, NonNullable<HostValue>>();
  const put = (field: HostField, value: HostValue) => value !== undefined && clean.set(field, value);
  for (const field of TEXTS) put(field, cleanText(facts[field]));
  for (const field of CPUS) put(field, wholeNumber(facts[field], MOST_CPUS) || undefined);
  for (const field of WHOLE) put(field, wholeNumber(facts[field]));
  const { cgroup_cpu_limit: limit, disks, cpu_times, pressure, load, process_counts } = facts;
  if (limit !== undefined && limit > 0 && limit <= MOST_CPUS) put('cgroup_cpu_limit', limit);
  if (disks) put('disks', disks.flatMap(cleanDisk).slice(0, MOST_ENTRIES));
  if (cpu_times) put('cpu_times', cleanTimes(cpu_times));
  if (pressure) put('pressure', cleanPressure(pressure));
  if (load) put('load', cleanEntry(load));
  if (process_counts) put('process_counts', cleanEntry(process_counts));
  if (facts.io_devices) put('io_devices', cleanList(facts.io_devices));
  if (facts.interfaces) put('interfaces', cleanList(facts.interfaces));
  if (facts.processes) put('processes', cleanProcesses(facts.processes));
  return clean;
}
