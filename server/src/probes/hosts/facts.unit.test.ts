import { describe, expect, it } from 'vitest';
import { gatherLinuxFiles } from './linux-files.ts';
import { nodeExporterFacts } from './node-exporter-facts.ts';
import { parseExposition } from './parse/exposition.ts';
import { versionFacts } from './server-version.ts';
import { cpuFacts, diskFacts, memoryFacts, osFacts } from './system-stats.ts';
import { withoutCoveredOverlay } from './volumes.ts';

const PAGE = String.raw`# HELP node_cpu_info CPU information from /proc/cpuinfo.
# TYPE node_cpu_info gauge
node_cpu_info{cachesize="32768 KB",core="0",cpu="0",family="25",microcode="0x1",model="1",model_name="AMD EPYC 7B13",package="0",stepping="0",vendor="AuthenticAMD"} 1
node_cpu_info{cachesize="32768 KB",core="0",cpu="1",family="25",model="1",model_name="AMD EPYC 7B13",package="0"} 1
node_cpu_info{core="0",cpu="2",model_name="AMD EPYC 7B13",package="1"} 1
node_cpu_info{core="0",cpu="3",model_name="AMD EPYC 7B13",package="1"} 1
node_cpu_frequency_max_hertz{cpu="0"} 2.45e+09
node_cpu_frequency_max_hertz{cpu="1"} 3.5e+09
node_cpu_seconds_total{cpu="0",mode="idle"} 218.61
node_cpu_seconds_total{cpu="0",mode="user"} 1.5
node_cpu_seconds_total{cpu="1",mode="idle"} 218.61
node_cpu_seconds_total{cpu="2",mode="idle"} 218.61
node_cpu_seconds_total{cpu="3",mode="idle"} 218.61
node_filesystem_avail_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 5.0e+10
node_filesystem_free_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 5.5e+10
node_filesystem_size_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 1.0e+11
node_filesystem_avail_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/var/lib/docker"} 5.0e+10
node_filesystem_free_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/var/lib/docker"} 5.5e+10
node_filesystem_size_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/var/lib/docker"} 1.0e+11
node_filesystem_size_bytes{device="tmpfs",fstype="tmpfs",mountpoint="/run"} 1.6e+09
node_filesystem_free_bytes{device="tmpfs",fstype="tmpfs",mountpoint="/run"} 1.6e+09
node_filesystem_size_bytes{device="C:\\x",fstype="xfs",mountpoint="/a \"b\",}c"} 20
node_filesystem_free_bytes{device="C:\\x",fstype="xfs",mountpoint="/a \"b\",}c"} 5
node_filesystem_size_bytes{device="nas:/x",fstype="nfs4",mountpoint="/dead"} NaN
node_memory_Buffers_bytes 1.0e+08
node_memory_Cached_bytes 9.0e+09
node_memory_MemAvailable_bytes 1.0e+10
node_memory_MemFree_bytes 2.0e+09
node_memory_MemTotal_bytes 1.6e+10
node_memory_SwapFree_bytes 0
node_memory_SwapTotal_bytes 1.0e+09
node_os_info{build_id="",id="debian",id_like="",name="Debian GNU/Linux",pretty_name="Debian GNU/Linux 12 (bookworm)",version="12 (bookworm)",version_id="12"} 1
node_uname_info{domainname="(none)",machine="x86_64",nodename="db1",release="6.1.0-18-amd64",sysname="Linux",version="#1 SMP"} 1
`;

describe('node_exporter', () => {
  it('gives everything of system', () => {
    expect(nodeExporterFacts(PAGE)).toEqual({
      os_name: 'Debian GNU/Linux',
      os_version: '12 (bookworm)',
      architecture: 'x86_64',
      hostname: 'db1',
      cpu_model: 'AMD EPYC 7B13',
      cpu_vendor: 'AuthenticAMD',
      cpu_family: '25',
      cpu_sockets: 2,
      cpu_cores: 2,
      cpu_logical: 4,
      cpu_clock_speed: 3_500_000_000,
      memory_cache_bytes: 9.1e9,
      memory_total_bytes: 16e9,
      memory_used_bytes: 6e9,
      memory_free_bytes: 2e9,
      node_memory_total_bytes: 16e9,
      swap_total_bytes: 1e9,
      swap_used_bytes: 1e9,
      disks: [
        {
          mount_point: '/',
          filesystem_type: 'ext4',
          total_bytes: 1e11,
          used_bytes: 4.5e10,
          free_bytes: 5e10,
          device: '/dev/sda1',
        },
        {
          mount_point: '/a "b",}c',
          filesystem_type: 'xfs',
          total_bytes: 20,
          used_bytes: 15,
          free_bytes: 5,
          device: 'C:\\x',
        },
      ],
    });
  });
  it('gives the kernel where the system names no release, and nothing of a foreign page', () => {
    expect(
      nodeExporterFacts('node_uname_info{machine="aarch64",nodename="a",release="6.1",sysname="Linux"} 1'),
    ).toEqual({ os_name: 'Linux', os_version: '6.1', architecture: 'aarch64', hostname: 'a' });
    expect(nodeExporterFacts('<html>\nnode_memory_MemTotal_bytes lots\n{}\n')).toEqual({});
  });
  it('survives lines that are cut or lie', () => {
    const wanted = new Set(['m']);
    const values = (text: string) => (parseExposition(text, wanted).get('m') ?? []).map(({ value }) => value);
    expect(values('m{a="b"')).toEqual([]);
    expect(values('m{a="b\nm 1')).toEqual([1]);
    expect(values('m{a="b" c="d"} 1')).toEqual([]);
    expect(values('m{} 1\nm{a="b",} 2 1395066363000\nm +Inf\nm 0x10\nm 1e999\nmm 5')).toEqual([
      1,
      2,
      Number.POSITIVE_INFINITY,
      16,
    ]);
  });
});

describe('system_stats', () => {
  it('counts logical processors where it says physical, and knows the cores of one socket only', () => {
    expect(
      cpuFacts({
        physical_processor: '16',
        logical_processor: '0',
        no_of_cores: '8',
        clock_speed_hz: '2450000000',
        model_name: 'EPYC',
      }),
    ).toEqual({
      cpu_model: 'EPYC',
      cpu_logical: 16,
      cpu_clock_speed: 2_450_000_000,
    });
    expect(cpuFacts({ physical_processor: '1', logical_processor: '4', no_of_cores: '4' })).toEqual({
      cpu_logical: 4,
      cpu_cores: 4,
    });
    expect(cpuFacts(undefined)).toEqual({});
  });
  it('counts the cache as available', () => {
    expect(
      memoryFacts({
        total_memory: '1000',
        free_memory: '100',
        used_memory: '900',
        cache_total: '600',
        swap_total: '50',
        swap_used: '10',
      }),
    ).toMatchObject({
      memory_total_bytes: 1000,
      memory_used_bytes: 300,
      memory_free_bytes: 100,
      swap_total_bytes: 50,
      swap_used_bytes: 10,
    });
    expect(memoryFacts({ total_memory: '1000', free_memory: '700', cache_total: '600' })).toEqual({
      memory_total_bytes: 1000,
      memory_used_bytes: 0,
      memory_free_bytes: 700,
      memory_cache_bytes: 600,
      node_memory_total_bytes: 1000,
    });
  });
  it('splits the system’s name and keeps the kernel where it has no version', () => {
    expect(
      osFacts({
        name: '"Ubuntu 24.04.1 LTS"\n',
        version: 'Linux 6.14.0',
        host_name: 'db1',
        architecture: 'x86_64',
      }),
    ).toEqual({
      os_name: 'Ubuntu',
      os_version: '24.04.1 LTS',
      hostname: 'db1',
      architecture: 'x86_64',
    });
    expect(osFacts({ name: '"Arch Linux"\n', version: 'Linux 6.14.0' })).toEqual({
      os_name: 'Arch Linux',
      os_version: 'Linux 6.14.0',
    });
  });
  it('lists real volumes once', () => {
    const row = (file_system: string, mount_point: string, file_system_type: string) => ({
      file_system,
      mount_point,
      file_system_type,
      total_space: '100',
      used_space: '40',
      free_space: '55',
    });
    expect(
      diskFacts([
        row('/dev/sda1', '/', 'ext4'),
        row('/dev/sda1', '/srv', 'ext4'),
        row('tmpfs', '/tmp', 'tmpfs'),
      ]),
    ).toEqual({
      disks: [
        {
          mount_point: '/',
          filesystem_type: 'ext4',
          total_bytes: 100,
          used_bytes: 40,
          free_bytes: 55,
          device: '/dev/sda1',
        },
      ],
    });
    expect(diskFacts([])).toEqual({});
  });
});

const PLACES = { cgroup: '/proc/7/cgroup', netDev: '/proc/7/net/dev' };

describe('gatherLinuxFiles', () => {
  const FILES = new Map([
    ['/usr/lib/os-release', 'NAME="Fedora Linux"\nVERSION_ID=40\n'],
    ['/proc/sys/kernel/hostname', 'db1\n'],
    ['/proc/cpuinfo', 'processor\t: 0\nmodel name\t: X\nphysical id\t: 0\ncore id\t\t: 0\n'],
    [
      '/proc/meminfo',
      'MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 600 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n',
    ],
    ['/proc/7/cgroup', '0::/kube/pod/pg\n'],
    ['/sys/fs/cgroup/kube/pod/pg/memory.max', 'max\n'],
    ['/sys/fs/cgroup/kube/pod/memory.max', '512000\n'],
    ['/sys/fs/cgroup/kube/pod/memory.current', '256000\n'],
    ['/sys/fs/cgroup/kube/pod/memory.stat', 'inactive_file 100000\nactive_file 50000\n'],
    ['/sys/fs/cgroup/kube/pod/pg/cpu.max', '50000 100000\n'],
    ['/sys/fs/cgroup/kube/cpu.max', '200000 100000\n'],
  ]);
  const read = async (paths: readonly string[]) =>
    new Map(paths.flatMap((path) => (FILES.has(path) ? [[path, FILES.get(path) ?? ''] as const] : [])));

  it('finds the limit that binds on any ancestor', async () => {
    expect(await gatherLinuxFiles(read, PLACES)).toEqual({
      os_name: 'Fedora Linux',
      os_version: '40',
      hostname: 'db1',
      cpu_model: 'X',
      cpu_sockets: 1,
      cpu_cores: 1,
      cpu_logical: 1,
      cgroup_cpu_limit: 0.5,
      memory_total_bytes: 512_000,
      memory_used_bytes: 106_000,
      memory_free_bytes: 256_000,
      memory_cache_bytes: 150_000,
      node_memory_total_bytes: 1_024_000,
      cgroup_memory_limit_bytes: 512_000,
      swap_total_bytes: 0,
      swap_used_bytes: 0,
    });
  });
  it('knows nothing where nothing can be read', async () => {
    expect(await gatherLinuxFiles(async () => new Map(), PLACES)).toEqual({});
  });
});

describe('server_version', () => {
  it('gives architecture and kind of system', () => {
    expect(
      versionFacts(
        'PostgreSQL 17.2 (Debian 17.2-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit',
      ),
    ).toEqual({
      architecture: 'x86_64',
      os_name: 'Linux',
    });
    expect(versionFacts('PostgreSQL 16.1 on aarch64-apple-darwin23.2.0, compiled by clang, 64-bit')).toEqual({
      architecture: 'aarch64',
      os_name: 'macOS',
    });
    expect(versionFacts('PostgreSQL 16.1, compiled by Visual C++ build 1937, 64-bit')).toEqual({});
  });
});

describe('withoutCoveredOverlay', () => {
  const disk = (filesystem_type: string, total_bytes: number) => ({
    mount_point: `/${filesystem_type}`,
    filesystem_type,
    total_bytes,
    used_bytes: 1,
    free_bytes: 1,
  });
  it('leaves out the overlay of a volume that is listed, and keeps it otherwise', () => {
    expect(withoutCoveredOverlay([disk('overlay', 10), disk('ext4', 10)])).toEqual([disk('ext4', 10)]);
    expect(withoutCoveredOverlay([disk('overlay', 10), disk('ext4', 99)])).toHaveLength(2);
  });
});
