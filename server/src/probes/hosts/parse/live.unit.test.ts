import { describe, expect, it } from 'vitest';
import { parseCacheSize, parseCaches } from './cpu-cache.ts';
import { cpuShares, parseCgroupTimes, parseCpuTimes, parseUptime } from './cpu-times.ts';
import { parseDiskstats, wholeDevices } from './diskstats.ts';
import { parseLoadavg, parsePressure } from './load.ts';
import { parseNetDev, parseSpeed } from './net-dev.ts';
import { countStates, parseResident, parseTitle } from './process.ts';

const STAT = `cpu  275171 100 145716 724089 2481 5 3025 607 12 3
cpu0 135716 0 71212 366372 586 0 1133 316 0 0
intr 7907238 0 0
btime 1795169848
`;

describe('processor time', () => {
  it('is seconds of all processors together', () => {
    expect(parseCpuTimes(STAT)).toEqual({
      user: 2751.71,
      nice: 1,
      system: 1457.16,
      idle: 7240.89,
      iowait: 24.81,
      irq: 0.05,
      softirq: 30.25,
      steal: 6.07,
    });
  });
  it('of an old kernel knows no steal, and of a foreign text nothing', () => {
    expect(parseCpuTimes('cpu 1 2 3 4\n')).toEqual({ user: 0.01, nice: 0.02, system: 0.03, idle: 0.04 });
    expect(parseCpuTimes('cpu0 1 2 3 4\n')).toBeUndefined();
    expect(parseCpuTimes('cpu 1 2\n')).toBeUndefined();
    expect(parseCpuTimes('')).toBeUndefined();
  });
  it('becomes shares between two readings, which make 100', () => {
    const before = { user: 100, nice: 0, system: 50, idle: 800, iowait: 10, irq: 0, softirq: 0, steal: 0 };
    const after = { user: 130, nice: 0, system: 60, idle: 850, iowait: 15, irq: 0, softirq: 5, steal: 0 };
    expect(cpuShares(before, after)).toEqual({
      user: 30,
      nice: 0,
      system: 10,
      idle: 50,
      iowait: 5,
      irq: 0,
      softirq: 5,
      steal: 0,
    });
  });
  it('gives nothing after a reboot, between different kernels, or where no time passed', () => {
    const before = { user: 100, system: 50, idle: 800 };
    expect(cpuShares(before, { user: 1, system: 1, idle: 10 })).toBeUndefined();
    expect(cpuShares(before, { user: 101, system: 51, idle: 810, iowait: 4 })).toBeUndefined();
    expect(cpuShares(before, before)).toBeUndefined();
  });
  it('survives what the kernel takes back of iowait', () => {
    const before = { user: 0, system: 0, idle: 100, iowait: 5.5 };
    expect(cpuShares(before, { user: 5, system: 0, idle: 105, iowait: 5.2 })).toEqual({
      user: 50,
      system: 0,
      idle: 50,
      iowait: 0,
    });
  });
  it('under a limit is measured against the limit, also where it was exceeded for a moment', () => {
    const stat = (usage: number, user: number) =>
      `usage_usec ${usage * 1e6}\nuser_usec ${user * 1e6}\nsystem_usec ${(usage - user) * 1e6}\nnr_periods 5\n`;
    const before = parseCgroupTimes(stat(100, 80), { processors: 1.5, up_seconds: 1000 });
    const busy = parseCgroupTimes(stat(115, 92), { processors: 1.5, up_seconds: 1020 });
    const over = parseCgroupTimes(stat(160, 128), { processors: 1.5, up_seconds: 1020 });
    if (!before || !busy || !over) throw new Error('the fixtures are a cpu.stat');
    expect(cpuShares(before, busy)).toEqual({ user: 40, system: 10, idle: 50 });
    expect(cpuShares(before, over)).toMatchObject({ idle: 0 });
    expect(cpuShares(before, { ...busy, processors: 3 })).toBeUndefined();
    expect(parseCgroupTimes('nr_periods 1\n', { processors: 1, up_seconds: 1 })).toBeUndefined();
    expect(parseCgroupTimes(undefined, { processors: 1, up_seconds: 1 })).toBeUndefined();
  });
  it('since boot', () => {
    expect(parseUptime('5784.84 7240.89\n')).toBe(5784.84);
    expect(parseUptime('soon\n')).toBeUndefined();
  });
});

const line = (name: string, numbers = '10 1 80 5 20 2 160 7 0 9 12') => ` 259 0 ${name} ${numbers}\n`;
const namesOf = (text: string) => parseDiskstats(text).map(({ device_name }) => device_name);

describe('diskstats', () => {
  it('counts operations, bytes of 512-byte sectors, and milliseconds', () => {
    const text =
      ' 254       0 vda 223629 39690 8434626 201506 462563 623925 38765640 345832 0 83212 604762 423903 320 85476640 47567 231396 9856\n';
    expect(parseDiskstats(text)).toEqual([
      {
        device_name: 'vda',
        total_reads: 223_629,
        total_writes: 462_563,
        read_bytes: 8_434_626 * 512,
        write_bytes: 38_765_640 * 512,
        read_time_ms: 201_506,
        write_time_ms: 345_832,
      },
    ]);
  });
  it('leaves out partitions, loop, RAM, optical and hidden devices, and those never used', () => {
    const names = 'sda sda1 sda12 nvme0n1 nvme0n1p1 nvme0c0n1 mmcblk0 mmcblk0p2 md0 md0p1 md127 dm-0 dm-11';
    const others = 'loop0 ram3 zram0 sr0 fd0 nbd1 xvdf xvdf1 rbd0 rbd0p1 cciss!c0d0 cciss!c0d0p1';
    const text = `${names} ${others}`
      .split(' ')
      .map((name) => line(name))
      .join('');
    expect(namesOf(`${text}${line('nbd0', '0 0 0 0 0 0 0 0 0 0 0')}`)).toEqual(
      'sda nvme0n1 mmcblk0 md0 md127 dm-0 dm-11 nbd1 xvdf rbd0 cciss!c0d0'.split(' '),
    );
  });
  it('keeps what looks like a partition where it is all there is', () => {
    expect(wholeDevices(['xvda1', 'xvda2', 'xvdb'])).toEqual(['xvda1', 'xvda2', 'xvdb']);
  });
  it('ignores lines of another form', () => {
    expect(namesOf(`  3 1 hda1 35486 0 35496 38030\n${line('sda', '1 2 x 4 5 6 7 8')}garbage\n`)).toEqual([]);
  });
});

describe('network interfaces', () => {
  const TEXT = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 7811342090 2612447    0    0    0     0          0         0 7811342090 2612447    0    0    0     0       0          0
enp0s31f6:2106750721   54105    1    2    3     4          5         6  4393423   34681    7    8    0     0       0          0
bond0.100: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0
veth12ab: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0
cali0a1b2c: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0
broken: 1 2
`;
  it('have counters, also where the name touches the number; cables of containers are left out', () => {
    const found = parseNetDev(TEXT);
    expect(found.map(({ interface_name }) => interface_name)).toEqual(['lo', 'enp0s31f6', 'bond0.100']);
    expect(found[1]).toEqual({
      interface_name: 'enp0s31f6',
      rx_bytes: 2_106_750_721,
      rx_packets: 54_105,
      rx_errors: 1,
      rx_dropped: 2,
      tx_bytes: 4_393_423,
      tx_packets: 34_681,
      tx_errors: 7,
      tx_dropped: 8,
    });
  });
  it('have a speed only where there is one', () => {
    expect(parseSpeed('25000\n')).toBe(25_000);
    for (const none of ['-1\n', '4294967295\n', '0', '', undefined]) expect(parseSpeed(none)).toBeUndefined();
  });
});

describe('load and pressure', () => {
  it('have the 15-minute figure third, and threads', () => {
    expect(parseLoadavg('1.62 1.31 1.74 4/235 27178\n')).toEqual({
      load: { one: 1.62, five: 1.31, fifteen: 1.74 },
      threads: 235,
    });
    expect(parseLoadavg('unknown')).toBeUndefined();
  });
  it('tell some and full, averages and milliseconds', () => {
    const text =
      'some avg10=26.26 avg60=20.38 avg300=12.82 total=1223689039\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';
    expect(parsePressure('cpu', text)).toEqual({
      cpu_some_avg10: 26.26,
      cpu_some_ms: 1_223_689.039,
      cpu_full_avg10: 0,
      cpu_full_ms: 0,
    });
  });
  it('of a kernel before 5.13 has no full for processors', () => {
    expect(parsePressure('cpu', 'some avg10=1.00 avg60=0.00 avg300=0.00 total=5\n')).toEqual({
      cpu_some_avg10: 1,
      cpu_some_ms: 0.005,
    });
    expect(parsePressure('io', '')).toEqual({});
  });
});

describe('processes', () => {
  it('are counted by state, kernel threads among the sleeping ones', () => {
    const states = ['R', 'S', 'S', 'D', 'I', 'T', 't', 'Z', '?'].map((state) => [state, 1] as const);
    expect(countStates(states)).toEqual({ total: 9, running: 1, sleeping: 4, stopped: 2, zombie: 1 });
  });
  it('have resident memory, except threads of the kernel, and a title', () => {
    expect(parseResident('Name:\tpostgres\nVmRSS:\t   12345 kB\nRssAnon:\t 1 kB\n')).toBe(12_345 * 1024);
    expect(parseResident('Name:\tkthreadd\n')).toBeUndefined();
    expect(parseTitle('postgres: walwriter \0\0\0')).toBe('postgres: walwriter');
    expect(parseTitle('/usr/lib/postgresql/18/bin/postgres\0-D\0/data\0')).toBe(
      '/usr/lib/postgresql/18/bin/postgres -D /data',
    );
    expect(parseTitle('\0')).toBeUndefined();
  });
});

describe('caches', () => {
  const file = (index: number, name: string) => `/sys/devices/system/cpu/cpu0/cache/index${index}/${name}`;
  const cache = (index: number, [level, type, size]: string[]): [string, string][] => [
    [file(index, 'level'), `${level}\n`],
    [file(index, 'type'), `${type}\n`],
    [file(index, 'size'), `${size}\n`],
  ];
  it('are told by level and type', () => {
    const files = new Map([
      ...cache(0, ['1', 'Data', '48K']),
      ...cache(1, ['1', 'Instruction', '32K']),
      ...cache(2, ['2', 'Unified', '1280K']),
      ...cache(3, ['3', 'Unified', '42M']),
    ]);
    expect(parseCaches(files)).toEqual({
      l1d_cache_bytes: 48 * 1024,
      l1i_cache_bytes: 32 * 1024,
      l2_cache_bytes: 1280 * 1024,
      l3_cache_bytes: 42 * 1024 ** 2,
    });
  });
  it('of an ARM without sizes are unknown', () => {
    expect(
      parseCaches(
        new Map([
          [file(0, 'level'), '1\n'],
          [file(0, 'type'), 'Data\n'],
        ]),
      ),
    ).toEqual({});
    expect(parseCacheSize('64Q')).toBeUndefined();
  });
});
