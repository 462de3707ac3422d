// Control groups, versions 1 and 2: where a process stands, and what it may use there. A limit may be set on any
// ancestor, so the smallest one on the way up counts; "max", -1 and the enormous number of version 1 mean none.

import { least } from '../../../kernel/lists.ts';

export interface CgroupMemory {
  /** Bytes; absent where none is set. */
  limit?: number;
  usage?: number;
  /** The part of usage that the kernel gives back when memory gets tight: file cache and slab. */
  reclaimable?: number;
  swap_limit?: number;
  swap_usage?: number;
}

export interface CgroupPaths {
  /** In the unified hierarchy. */
  v2?: string;
  /** In the version 1 hierarchy of the memory and cpu controllers. */
  memory?: string;
  cpu?: string;
}

/** /proc/<pid>/cgroup. A path that climbs out of its namespace is taken as the root we can see. */
export function parseCgroupPaths(text: string): CgroupPaths {
  const paths: CgroupPaths = {};
  for (const line of text.split('\n')) {
    const [, controllers, ...rest] = line.split(':');
    if (controllers === undefined || rest.length === 0) continue;
    const path = rest.join(':');
    const safe = path.split('/').includes('..') ? '/' : path;
    if (controllers === '') paths.v2 = safe;
    const names = controllers.split(',');
    if (names.includes('memory')) paths.memory = safe;
    if (names.includes('cpu')) paths.cpu = safe;
  }
  return paths;
}

/** The directory of the group and of each ancestor, nearest first, ending with the root `''`. */
export function ancestors(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return Array.from({ length: parts.length + 1 }, (_, index) =>
    parts
      .slice(0, parts.length - index)
      .map((part) => `/${part}`)
      .join(''),
  );
}

// Version 1 says "no limit" with the largest multiple of the page size below 2^63.
const NO_LIMIT = 2 ** 62;

/** Bytes from memory.max, memory.limit_in_bytes and their kin; undefined for none. */
export function parseLimit(text: string | undefined): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || !/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return value >= NO_LIMIT ? undefined : value;
}

/** Processors from cpu.max, such as `150000 100000` for 1.5; undefined for none. */
export function parseCpuMax(text: string | undefined): number | undefined {
  const found = /^(\d+) (\d+)\s*$/.exec(text ?? '');
  const [quota, period] = [Number(found?.[1]), Number(found?.[2])];
  return quota > 0 && period > 0 ? quota / period : undefined;
}

/** Processors from cpu.cfs_quota_us and cpu.cfs_period_us; undefined for none (-1). */
export function parseCfs(quota: string | undefined, period: string | undefined): number | undefined {
  return parseCpuMax(`${quota?.trim() ?? ''} ${period?.trim() ?? ''}`);
}

const RECLAIMABLE = ['inactive_file', 'active_file', 'slab_reclaimable'];

/** Bytes the kernel can take back, from memory.stat; version 1 prefixes its totals over the subtree. */
export function parseReclaimable(stat: string | undefined): number | undefined {
  if (stat === undefined) return undefined;
  const values = new Map<string, number>();
  for (const line of stat.split('\n')) {
    const [name, value] = line.split(' ');
    if (name && value && /^\d+$/.test(value)) values.set(name, Number(value));
  }
  const found = RECLAIMABLE.map((name) => values.get(`total_${name}`) ?? values.get(name));
  return found.every((value) => value === undefined)
    ? undefined
    : found.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

export function smallest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : least(known);
}
