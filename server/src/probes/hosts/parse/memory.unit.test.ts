import { describe, expect, it } from 'vitest';
import {
  ancestors,
  parseCfs,
  parseCgroupPaths,
  parseCpuMax,
  parseLimit,
  parseReclaimable,
} from './cgroup.ts';
import { memoryFacts, parseMeminfo } from './meminfo.ts';

const GIB = 1024 ** 3;
const MEMINFO = `MemTotal:       33554432 kB
MemFree:         1048576 kB
MemAvailable:   20971520 kB
Buffers:          524288 kB
Cached:         18874368 kB
SwapCached:        10240 kB
Active(anon):    4194304 kB
Shmem:           1048576 kB
SReclaimable:    1572864 kB
SwapTotal:       4194304 kB
SwapFree:        3145728 kB
HugePages_Total:       0
Hugepagesize:       2048 kB
`;

function meminfo(text = MEMINFO) {
  const parsed = parseMeminfo(text);
  if (!parsed) throw new Error('the fixture is a meminfo');
  return parsed;
}

describe('memory', () => {
  it('is used where it is not available: the page cache is not used memory', () => {
    expect(memoryFacts(meminfo())).toEqual({
      memory_total_bytes: 32 * GIB,
      memory_used_bytes: 12 * GIB,
      memory_free_bytes: 1 * GIB,
      memory_cache_bytes: 20 * GIB,
      node_memory_total_bytes: 32 * GIB,
      swap_total_bytes: 4 * GIB,
      swap_used_bytes: 1 * GIB,
    });
  });

  it('is estimated for kernels without MemAvailable, shared memory staying used', () => {
    const old = MEMINFO.replace(/^MemAvailable.*\n/m, '');
    // free + buffers + cached - shmem + reclaimable slab
    expect(meminfo(old).available).toBe((1 + 0.5 + 18 - 1 + 1.5) * GIB);
  });

  it('is never negative, even when the numbers contradict each other', () => {
    const odd = meminfo(
      'MemTotal: 100 kB\nMemFree: 50 kB\nMemAvailable: 900 kB\nSwapTotal: 0 kB\nSwapFree: 8 kB\n',
    );
    expect(memoryFacts(odd)).toMatchObject({ memory_used_bytes: 0, swap_used_bytes: 0, swap_total_bytes: 0 });
  });

  it('is unknown from a text that is no meminfo', () => {
    expect(parseMeminfo('')).toBeUndefined();
    expect(parseMeminfo('MemTotal: lots kB\n')).toBeUndefined();
  });

  it('is what the cgroup allows where that is less, and both totals are told', () => {
    const cgroup = { limit: 4 * GIB, usage: 3 * GIB, reclaimable: 2 * GIB, swap_limit: 0, swap_usage: 0 };
    expect(memoryFacts(meminfo(), cgroup)).toEqual({
      memory_total_bytes: 4 * GIB,
      memory_used_bytes: 1 * GIB,
      memory_free_bytes: 1 * GIB,
      memory_cache_bytes: 2 * GIB,
      node_memory_total_bytes: 32 * GIB,
      cgroup_memory_limit_bytes: 4 * GIB,
      swap_total_bytes: 0,
      swap_used_bytes: 0,
    });
  });

  it('is the machine’s where the limit is larger than the machine', () => {
    expect(memoryFacts(meminfo(), { limit: 64 * GIB, usage: GIB })).toMatchObject({
      memory_total_bytes: 32 * GIB,
      memory_used_bytes: 12 * GIB,
    });
  });

  it('of a limit without usage has no used bytes rather than those of the machine', () => {
    const facts = memoryFacts(meminfo(), { limit: 4 * GIB });
    expect(facts.memory_total_bytes).toBe(4 * GIB);
    expect(facts).not.toHaveProperty('memory_used_bytes');
    expect(facts).not.toHaveProperty('memory_free_bytes');
  });
});

describe('cgroup files', () => {
  it('name the paths of both versions', () => {
    expect(parseCgroupPaths('0::/system.slice/postgresql.service\n')).toEqual({
      v2: '/system.slice/postgresql.service',
    });
    expect(
      parseCgroupPaths('9:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n0::/\n'),
    ).toEqual({ memory: '/docker/abc', cpu: '/docker/abc', v2: '/' });
  });

  it('that climb out of the namespace mean the root we see', () => {
    expect(parseCgroupPaths('0::/../../kubepods/pod1\n')).toEqual({ v2: '/' });
  });

  it('have ancestors, nearest first', () => {
    expect(ancestors('/a/b')).toEqual(['/a/b', '/a', '']);
    expect(ancestors('/')).toEqual(['']);
  });

  it('tell limits: a number, "max", or the enormous number of version 1', () => {
    expect(parseLimit('2147483648\n')).toBe(2 * GIB);
    expect(parseLimit('0\n')).toBe(0);
    expect(parseLimit('max\n')).toBeUndefined();
    expect(parseLimit('9223372036854771712\n')).toBeUndefined();
    expect(parseLimit('-1\n')).toBeUndefined();
    expect(parseLimit(undefined)).toBeUndefined();
  });

  it('tell processors', () => {
    expect(parseCpuMax('150000 100000\n')).toBe(1.5);
    expect(parseCpuMax('max 100000\n')).toBeUndefined();
    expect(parseCfs('200000\n', '100000\n')).toBe(2);
    expect(parseCfs('-1\n', '100000\n')).toBeUndefined();
    expect(parseCfs(undefined, undefined)).toBeUndefined();
  });

  it('tell what the kernel can take back, of the whole subtree in version 1', () => {
    expect(parseReclaimable('anon 5\nfile 90\ninactive_file 30\nactive_file 40\nslab_reclaimable 7\n')).toBe(
      77,
    );
    expect(
      parseReclaimable('inactive_file 1\nactive_file 1\ntotal_inactive_file 10\ntotal_active_file 20\n'),
    ).toBe(30);
    expect(parseReclaimable('anon 5\n')).toBeUndefined();
    expect(parseReclaimable(undefined)).toBeUndefined();
  });
});
