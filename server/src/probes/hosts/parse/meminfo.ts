// /proc/meminfo, and what it means together with a cgroup's limit.
import type { HostFacts } from '../types.ts';
import type { CgroupMemory } from './cgroup.ts';

export interface Meminfo {
  total: number;
  free: number;
  /** What programs can still get without swapping: the page cache counts as available, shared memory does not. */
  available: number;
  /** Buffers, file cache and reclaimable slab; shared memory stands in it too. */
  cache: number | undefined;
  swap_total: number | undefined;
  swap_free: number | undefined;
}

/** Bytes; undefined when the text is not a meminfo. */
export function parseMeminfo(text: string): Meminfo | undefined {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const found = /^([A-Za-z_()0-9]+):\s+(\d+)( kB)?\s*$/.exec(line);
    if (found?.[1] && found[2]) values.set(found[1], Number(found[2]) * (found[3] ? 1024 : 1));
  }
  const total = values.get('MemTotal');
  const free = values.get('MemFree');
  if (total === undefined || free === undefined || total === 0) return undefined;
  const available = values.get('MemAvailable') ?? oldKernelsAvailable(values, free);
  return {
    total,
    free: Math.min(free, total),
    available: Math.min(available, total),
    cache: cacheOf(values),
    swap_total: values.get('SwapTotal'),
    swap_free: values.get('SwapFree'),
  };
}

function cacheOf(values: ReadonlyMap<string, number>): number | undefined {
  const cached = values.get('Cached');
  if (cached === undefined) return undefined;
  return cached + (values.get('Buffers') ?? 0) + (values.get('SReclaimable') ?? 0);
}

/** Kernels before 3.14 have no MemAvailable. Shared memory stands in Cached but cannot be given back. */
function oldKernelsAvailable(values: ReadonlyMap<string, number>, free: number): number {
  const cache = (values.get('Buffers') ?? 0) + (values.get('Cached') ?? 0) - (values.get('Shmem') ?? 0);
  return free + Math.max(0, cache) + (values.get('SReclaimable') ?? 0);
}

/** The memory members of the facts. A cgroup limit below the machine's memory overrides its totals. */
export function memoryFacts(meminfo: Meminfo, cgroup: CgroupMemory = {}): HostFacts {
  const facts: HostFacts = {
    memory_total_bytes: meminfo.total,
    memory_used_bytes: meminfo.total - meminfo.available,
    memory_free_bytes: meminfo.free,
    node_memory_total_bytes: meminfo.total,
    ...(meminfo.cache === undefined ? {} : { memory_cache_bytes: meminfo.cache }),
  };
  const { limit, usage, reclaimable = 0 } = cgroup;
  if (limit !== undefined && limit < meminfo.total) {
    facts.cgroup_memory_limit_bytes = limit;
    facts.memory_total_bytes = limit;
    delete facts.memory_used_bytes;
    delete facts.memory_free_bytes;
    delete facts.memory_cache_bytes;
    if (cgroup.reclaimable !== undefined) facts.memory_cache_bytes = Math.min(limit, reclaimable);
    if (usage !== undefined) {
      facts.memory_used_bytes = Math.min(limit, Math.max(0, usage - reclaimable));
      facts.memory_free_bytes = Math.max(0, limit - usage);
    }
  }
  return { ...facts, ...swapFacts(meminfo, cgroup) };
}

function swapFacts(meminfo: Meminfo, cgroup: CgroupMemory): HostFacts {
  if (meminfo.swap_total === undefined) return {};
  const { swap_limit, swap_usage } = cgroup;
  if (swap_limit !== undefined && swap_limit < meminfo.swap_total) {
    return {
      swap_total_bytes: swap_limit,
      ...(swap_usage === undefined ? {} : { swap_used_bytes: Math.min(swap_usage, swap_limit) }),
    };
  }
  return {
    swap_total_bytes: meminfo.swap_total,
    ...(meminfo.swap_free === undefined
      ? {}
      : { swap_used_bytes: Math.max(0, meminfo.swap_total - meminfo.swap_free) }),
  };
}
