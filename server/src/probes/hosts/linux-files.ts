// What Linux tells about a machine in files, whoever reads them: this process, or the monitored server for us.
// Two rounds of reading, because where the cgroup's limits stand is told by the first.

import { gatherLive, type LiveSources, livePaths } from './linux-live.ts';
import {
  ancestors,
  type CgroupMemory,
  parseCfs,
  parseCgroupPaths,
  parseCpuMax,
  parseLimit,
  parseReclaimable,
  smallest,
} from './parse/cgroup.ts';
import { CACHE_FILES, parseCaches } from './parse/cpu-cache.ts';
import { parseCgroupTimes } from './parse/cpu-times.ts';
import { parseCpuinfo, parseMaxFrequency } from './parse/cpuinfo.ts';
import { memoryFacts, parseMeminfo } from './parse/meminfo.ts';
import { parseOsRelease } from './parse/os-release.ts';
import { type CpuTimes, type HostFacts, wants } from './types.ts';

/** Reads several files at once; a file that is missing or may not be read is absent from the answer. */
export type ReadFiles = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const OS_RELEASE = ['/etc/os-release', '/usr/lib/os-release'];
const HOSTNAME = '/proc/sys/kernel/hostname';
const ARCHITECTURE = '/proc/sys/kernel/arch';
const CPUINFO = '/proc/cpuinfo';
const MAX_FREQUENCY = '/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq';
const MEMINFO = '/proc/meminfo';
const V2 = '/sys/fs/cgroup';
const V1_MEMORY = '/sys/fs/cgroup/memory';
const V1_CPU = '/sys/fs/cgroup/cpu';

interface CgroupPaths {
  v2: string[];
  memory: string[];
  cpu: string[];
}

function cgroupPathsOf(cgroup: string | undefined): CgroupPaths {
  const paths = parseCgroupPaths(cgroup ?? '');
  const under = (base: string, path: string | undefined) =>
    path === undefined ? [] : ancestors(path).map((ancestor) => base + ancestor);
  return {
    v2: under(V2, paths.v2),
    memory: under(V1_MEMORY, paths.memory),
    cpu: under(V1_CPU, paths.cpu),
  };
}

const IN_V2 = [
  'memory.max',
  'memory.current',
  'memory.stat',
  'memory.swap.max',
  'memory.swap.current',
  'cpu.max',
  'cpu.stat',
];
const IN_V1_MEMORY = ['memory.limit_in_bytes', 'memory.usage_in_bytes', 'memory.stat'];
const IN_V1_CPU = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'];

const filesOf = (sources: CgroupPaths): string[] => [
  ...sources.v2.flatMap((path) => IN_V2.map((name) => `${path}/${name}`)),
  ...sources.memory.flatMap((path) => IN_V1_MEMORY.map((name) => `${path}/${name}`)),
  ...sources.cpu.flatMap((path) => IN_V1_CPU.map((name) => `${path}/${name}`)),
];

/** The group whose limit binds: its limit, and what is used below that limit. */
function binding(groups: readonly CgroupMemory[]): CgroupMemory {
  const limit = smallest(groups.map((group) => group.limit));
  return groups.find((group) => limit !== undefined && group.limit === limit) ?? {};
}

const known = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function cgroupMemory(sources: CgroupPaths, files: ReadonlyMap<string, string>): CgroupMemory {
  const v2 = sources.v2.map((path): CgroupMemory => {
    const file = (name: string) => files.get(`${path}/${name}`);
    return known({
      limit: parseLimit(file('memory.max')),
      usage: parseLimit(file('memory.current')),
      reclaimable: parseReclaimable(file('memory.stat')),
      swap_limit: parseLimit(file('memory.swap.max')),
      swap_usage: parseLimit(file('memory.swap.current')),
    });
  });
  const v1 = sources.memory.map((path): CgroupMemory => {
    const file = (name: string) => files.get(`${path}/${name}`);
    return known({
      limit: parseLimit(file('memory.limit_in_bytes')),
      usage: parseLimit(file('memory.usage_in_bytes')),
      reclaimable: parseReclaimable(file('memory.stat')),
    });
  });
  const groups = [...v2, ...v1];
  const swap = groups.find((group) => group.swap_limit !== undefined);
  return {
    ...binding(groups),
    ...(swap ? known({ swap_limit: swap.swap_limit, swap_usage: swap.swap_usage }) : {}),
  };
}

interface CgroupCpu {
  limit?: number;
  times?: CpuTimes;
}

/** The smallest limit on the way up, and what was used of it; version 1 keeps that elsewhere. */
function cgroupCpu(sources: CgroupPaths, files: ReadonlyMap<string, string>, up?: number): CgroupCpu {
  const groups = [
    ...sources.v2.map((path) => ({
      limit: parseCpuMax(files.get(`${path}/cpu.max`)),
      stat: files.get(`${path}/cpu.stat`),
    })),
    ...sources.cpu.map((path) => ({
      limit: parseCfs(files.get(`${path}/cpu.cfs_quota_us`), files.get(`${path}/cpu.cfs_period_us`)),
      stat: undefined,
    })),
  ];
  const limit = smallest(groups.map((group) => group.limit));
  if (limit === undefined) return {};
  const { stat } = groups.find((group) => group.limit === limit) ?? {};
  const times = up === undefined ? undefined : parseCgroupTimes(stat, { processors: limit, up_seconds: up });
  return known({ limit, times });
}

function cpuFacts(files: ReadonlyMap<string, string>): HostFacts {
  const { model, vendor, family, sockets, cores, logical, clock_speed } = parseCpuinfo(
    files.get(CPUINFO) ?? '',
  );
  return known({
    cpu_model: model,
    cpu_vendor: vendor,
    cpu_family: family,
    cpu_sockets: sockets,
    cpu_cores: cores,
    cpu_logical: logical,
    cpu_clock_speed: parseMaxFrequency(files.get(MAX_FREQUENCY)) ?? clock_speed,
    ...parseCaches(files),
  });
}

export interface LinuxSources extends LiveSources {
  /** The /proc/<pid>/cgroup of the server's process. */
  cgroup: string;
}

const BASE = [...OS_RELEASE, HOSTNAME, ARCHITECTURE, CPUINFO, MAX_FREQUENCY, MEMINFO];

export async function gatherLinuxFiles(read: ReadFiles, sources: LinuxSources): Promise<HostFacts> {
  const caches = wants(sources, 'l1d_cache_bytes', 'l3_cache_bytes') ? CACHE_FILES : [];
  const files = await read([...BASE, ...caches, sources.cgroup, ...livePaths(sources)]);
  const groups = cgroupPathsOf(files.get(sources.cgroup));
  const limits = await read(filesOf(groups));
  const live = await gatherLive(read, files, sources);
  const meminfo = parseMeminfo(files.get(MEMINFO) ?? '');
  const release = OS_RELEASE.map((path) => files.get(path)).find((text) => text);
  const cpu = cgroupCpu(groups, limits, live.up_seconds);
  return {
    ...parseOsRelease(release ?? ''),
    ...known({
      hostname: files.get(HOSTNAME)?.trim(),
      architecture: files.get(ARCHITECTURE)?.trim(),
      cgroup_cpu_limit: cpu.limit,
    }),
    ...cpuFacts(files),
    ...(meminfo ? memoryFacts(meminfo, cgroupMemory(groups, limits)) : {}),
    ...live,
    ...(cpu.times ? { cpu_times: cpu.times } : {}),
  };
}
