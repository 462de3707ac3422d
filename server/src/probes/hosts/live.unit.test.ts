// What the sources make of what changes all the time, so that a value means the same whoever tells it.
import { describe, expect, it } from 'vitest';
import { gatherLinuxFiles } from './linux-files.ts';
import { nodeExporterFacts } from './node-exporter-facts.ts';
import {
  deviceFacts,
  interfaceFacts,
  loadFacts,
  processCountFacts,
  processFacts,
} from './system-stats-live.ts';

const PAGE = `node_boot_time_seconds 1.795169848e+09
node_time_seconds 1.7951756e+09
node_cpu_seconds_total{cpu="0",mode="idle"} 100.5
node_cpu_seconds_total{cpu="0",mode="iowait"} 1
node_cpu_seconds_total{cpu="0",mode="irq"} 0
node_cpu_seconds_total{cpu="0",mode="nice"} 0
node_cpu_seconds_total{cpu="0",mode="softirq"} 2
node_cpu_seconds_total{cpu="0",mode="steal"} 0
node_cpu_seconds_total{cpu="0",mode="system"} 10
node_cpu_seconds_total{cpu="0",mode="user"} 20
node_cpu_seconds_total{cpu="1",mode="idle"} 99.5
node_cpu_seconds_total{cpu="1",mode="system"} 11
node_cpu_seconds_total{cpu="1",mode="user"} 22
node_disk_read_bytes_total{device="nvme0n1"} 4.096e+09
node_disk_read_time_seconds_total{device="nvme0n1"} 201.506
node_disk_reads_completed_total{device="nvme0n1"} 1e+06
node_disk_reads_completed_total{device="nvme0n1p1"} 5
node_disk_reads_completed_total{device="sr0"} 3
node_disk_write_time_seconds_total{device="nvme0n1"} 345.832
node_disk_writes_completed_total{device="nvme0n1"} 2e+06
node_disk_written_bytes_total{device="nvme0n1"} 8.192e+09
node_filefd_allocated 1211
node_load1 1.62
node_load15 1.74
node_load5 1.31
node_network_address_info{address="fe80::1",device="eth0",netmask="64",scope="link-local"} 1
node_network_address_info{address="10.0.0.7",device="eth0",netmask="24",scope="global"} 1
node_network_receive_bytes_total{device="eth0"} 2.106750721e+09
node_network_receive_bytes_total{device="veth1"} 1
node_network_receive_packets_total{device="eth0"} 54105
node_network_speed_bytes{device="eth0"} 1.25e+09
node_network_transmit_bytes_total{device="eth0"} 4.393423e+06
node_pressure_cpu_waiting_seconds_total 1223.689039
node_pressure_io_stalled_seconds_total 16.6266
node_processes_pids 120
node_processes_state{state="R"} 2
node_processes_state{state="S"} 110
node_processes_state{state="Z"} 8
node_processes_threads 467
`;

describe('node_exporter', () => {
  it('tells what changes', () => {
    expect(nodeExporterFacts(PAGE)).toMatchObject({
      booted_at: 1_795_169_848,
      up_seconds: 5752,
      handle_count: 1211,
      process_count: 120,
      thread_count: 467,
      cpu_times: { user: 42, system: 21, idle: 200, iowait: 1, irq: 0, nice: 0, softirq: 2, steal: 0 },
      load: { one: 1.62, five: 1.31, fifteen: 1.74 },
      process_counts: { total: 120, running: 2, sleeping: 110, stopped: 0, zombie: 8 },
      pressure: { cpu_some_ms: 1_223_689.039, io_full_ms: 16_626.6 },
      io_devices: [
        {
          device_name: 'nvme0n1',
          total_reads: 1e6,
          total_writes: 2e6,
          read_bytes: 4.096e9,
          write_bytes: 8.192e9,
          read_time_ms: 201_506,
          write_time_ms: 345_832,
        },
      ],
      interfaces: [
        {
          interface_name: 'eth0',
          ip_address: '10.0.0.7',
          rx_bytes: 2_106_750_721,
          rx_packets: 54_105,
          tx_bytes: 4_393_423,
          link_speed_mbps: 10_000,
        },
      ],
    });
  });
  it('without a collector says nothing of it', () => {
    const facts = nodeExporterFacts('node_load1 1\nnode_memory_MemTotal_bytes 5\n');
    expect(facts).toEqual({});
  });
});

describe('system_stats', () => {
  it('has the 15-minute load in the third figure on Linux, and in the fourth where there are four', () => {
    const row = { load_avg_one_minute: '1.5', load_avg_five_minutes: '2', load_avg_ten_minutes: '3' };
    expect(loadFacts({ ...row, load_avg_fifteen_minutes: null })).toEqual({
      load: { one: 1.5, five: 2, fifteen: 3 },
    });
    expect(loadFacts({ ...row, load_avg_fifteen_minutes: '4' })).toEqual({
      load: { one: 1.5, five: 2, ten: 3, fifteen: 4 },
    });
    expect(loadFacts(undefined)).toEqual({});
  });
  it('counts processes and devices, without partitions', () => {
    expect(
      processCountFacts({ total_processes: '9', running_processes: '1', sleeping_processes: '8' }),
    ).toEqual({
      process_counts: { total: 9, running: 1, sleeping: 8, stopped: null, zombie: null },
    });
    const device = {
      total_reads: '1',
      total_writes: '2',
      read_bytes: '3',
      write_bytes: '4',
      read_time_ms: '5',
    };
    const rows = ['sda', 'sda1', 'loop0'].map((device_name) => ({ ...device, device_name }));
    expect(deviceFacts(rows)).toEqual({
      io_devices: [
        {
          device_name: 'sda',
          total_reads: 1,
          total_writes: 2,
          read_bytes: 3,
          write_bytes: 4,
          read_time_ms: 5,
          write_time_ms: null,
        },
      ],
    });
    expect(deviceFacts([])).toEqual({});
  });
  it('names each interface once, and knows that -1 is no speed', () => {
    const row = { interface_name: 'eth0', ip_address: '10.0.0.7', tx_bytes: '5', link_speed_mbps: '-1' };
    const { interfaces } = interfaceFacts([row, { ...row, ip_address: '10.0.0.8' }]);
    expect(interfaces).toHaveLength(1);
    expect(interfaces?.[0]).toMatchObject({ interface_name: 'eth0', ip_address: '10.0.0.7', tx_bytes: 5 });
    expect(interfaces?.[0]).not.toHaveProperty('link_speed_mbps');
  });
  it('tells only processes of PostgreSQL, without the parentheses of /proc', () => {
    const row = { pid: '71', running_since_seconds: '60', cpu_usage: '12.5', memory_bytes: '4096' };
    expect(
      processFacts([
        { ...row, name: '(postgres)' },
        { ...row, pid: '72', name: '(bash)' },
      ]),
    ).toEqual({
      processes: [
        { pid: 71, name: 'postgres', running_since_seconds: 60, cpu_percent: 12.5, memory_bytes: 4096 },
      ],
    });
  });
});

describe('files of Linux', () => {
  const FILES = new Map([
    ['/proc/stat', 'cpu  100 0 50 800 10 0 0 0 0 0\nbtime 1795169848\n'],
    ['/proc/uptime', '1000.50 7240.89\n'],
    ['/proc/loadavg', '0.10 0.20 0.30 1/200 5\n'],
    ['/proc/sys/fs/file-nr', '1211\t0\t2466183\n'],
    ['/proc/sys/kernel/domainname', '(none)\n'],
    ['/proc/7/net/dev', 'eth0: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\nlo: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n'],
    ['/sys/class/net/eth0/speed', '10000\n'],
    ['/proc/pressure/io', 'some avg10=1.20 avg60=0.73 avg300=0.69 total=2000\n'],
    ['/proc/7/cgroup', '0::/pod\n'],
    ['/sys/fs/cgroup/pod/cpu.max', '50000 100000\n'],
    ['/sys/fs/cgroup/pod/cpu.stat', 'usage_usec 5000000\nuser_usec 4000000\nsystem_usec 1000000\n'],
  ]);
  const asked: string[][] = [];
  const reader = (files: ReadonlyMap<string, string>) => async (paths: readonly string[]) => {
    asked.push([...paths]);
    return new Map(
      paths.flatMap((path) => (files.has(path) ? [[path, files.get(path) ?? ''] as const] : [])),
    );
  };
  const sources = { cgroup: '/proc/7/cgroup', netDev: '/proc/7/net/dev' };

  it('tell what changes; under a limit, processor time is that of the group', async () => {
    expect(await gatherLinuxFiles(reader(FILES), sources)).toEqual({
      booted_at: 1_795_169_848,
      up_seconds: 1000.5,
      handle_count: 1211,
      thread_count: 200,
      cgroup_cpu_limit: 0.5,
      cpu_times: { user: 4, system: 1, idle: 0.5 * 1000.5 - 5, processors: 0.5 },
      load: { one: 0.1, five: 0.2, fifteen: 0.3 },
      interfaces: [
        expect.objectContaining({ interface_name: 'eth0', tx_bytes: 5, link_speed_mbps: 10_000 }),
        expect.not.objectContaining({ link_speed_mbps: expect.anything() }),
      ],
      pressure: { io_some_avg10: 1.2, io_some_ms: 2 },
    });
  });
  it('without a limit tell the time of the machine', async () => {
    const files = new Map([...FILES, ['/sys/fs/cgroup/pod/cpu.max', 'max 100000\n']]);
    const { cpu_times } = await gatherLinuxFiles(reader(files), sources);
    expect(cpu_times).toMatchObject({ user: 1, system: 0.5, idle: 8, iowait: 0.1 });
  });
  it('that nobody wants are not read', async () => {
    asked.length = 0;
    await gatherLinuxFiles(reader(FILES), { ...sources, wanted: new Set(['hostname']) });
    const paths = asked.flat();
    expect(paths).toContain('/proc/sys/kernel/hostname');
    for (const path of ['/proc/stat', '/proc/diskstats', '/proc/7/net/dev', '/proc/pressure/cpu'])
      expect(paths).not.toContain(path);
  });
});
