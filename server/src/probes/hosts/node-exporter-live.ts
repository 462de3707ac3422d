// What node_exporter says of what changes all the time. Pure. Of pressure it knows the time but not the average, and
// it counts processes only where its collector `processes` is switched on.
import { usedDevices } from './parse/diskstats.ts';
import type { Sample, Samples } from './parse/exposition.ts';
import { isCounted } from './parse/net-dev.ts';
import { countStates } from './parse/process.ts';
import type { CpuTimes, HostDevice, HostFacts, HostInterface, Pressure } from './types.ts';

const DEVICE = {
  total_reads: 'node_disk_reads_completed_total',
  total_writes: 'node_disk_writes_completed_total',
  read_bytes: 'node_disk_read_bytes_total',
  write_bytes: 'node_disk_written_bytes_total',
  read_time_ms: 'node_disk_read_time_seconds_total',
  write_time_ms: 'node_disk_write_time_seconds_total',
} as const;
const INTERFACE = {
  tx_bytes: 'node_network_transmit_bytes_total',
  tx_packets: 'node_network_transmit_packets_total',
  tx_errors: 'node_network_transmit_errs_total',
  tx_dropped: 'node_network_transmit_drop_total',
  rx_bytes: 'node_network_receive_bytes_total',
  rx_packets: 'node_network_receive_packets_total',
  rx_errors: 'node_network_receive_errs_total',
  rx_dropped: 'node_network_receive_drop_total',
} as const;
/** There is none for all tasks waiting for a processor. */
const PRESSURE = {
  cpu_some_ms: 'node_pressure_cpu_waiting_seconds_total',
  io_some_ms: 'node_pressure_io_waiting_seconds_total',
  io_full_ms: 'node_pressure_io_stalled_seconds_total',
  memory_some_ms: 'node_pressure_memory_waiting_seconds_total',
  memory_full_ms: 'node_pressure_memory_stalled_seconds_total',
} as const satisfies Partial<Record<keyof Pressure, string>>;

export const LIVE_METRICS: readonly string[] = [
  ...Object.values(DEVICE),
  ...Object.values(INTERFACE),
  ...Object.values(PRESSURE),
  'node_load1',
  'node_load5',
  'node_load15',
  'node_boot_time_seconds',
  'node_time_seconds',
  'node_filefd_allocated',
  'node_network_speed_bytes',
  'node_network_address_info',
  'node_processes_state',
  'node_processes_pids',
  'node_processes_threads',
];

type Labelled = (metric: string) => ReadonlyMap<string, number>;

const only = (samples: Samples, metric: string): number | undefined => {
  const value = samples.get(metric)?.[0]?.value;
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
};

/** Values of a metric by the device they are of. */
const byDevice =
  (samples: Samples): Labelled =>
  (metric) =>
    new Map((samples.get(metric) ?? []).map(({ labels, value }) => [labels.get('device') ?? '', value]));

const known = (values: object): HostFacts =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const MODES = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'] as const;

/** Summed over processors. */
function cpuTimesOf(cpus: readonly Sample[]): CpuTimes | undefined {
  const sums = new Map<string, number>();
  for (const { labels, value } of cpus) {
    const mode = labels.get('mode');
    if (mode !== undefined && value >= 0) sums.set(mode, (sums.get(mode) ?? 0) + value);
  }
  const [user, system, idle] = [sums.get('user'), sums.get('system'), sums.get('idle')];
  if (user === undefined || system === undefined || idle === undefined) return undefined;
  const told = MODES.flatMap((mode) => (sums.has(mode) ? [[mode, sums.get(mode)]] : []));
  return { user, system, idle, ...Object.fromEntries(told) };
}

function devicesOf(samples: Samples): HostDevice[] | undefined {
  const of = byDevice(samples);
  const reads = of(DEVICE.total_reads);
  if (reads.size === 0) return undefined;
  const columns = Object.entries(DEVICE).map(([column, metric]) => [column, of(metric)] as const);
  const devices = [...reads.keys()].map((device_name): HostDevice => {
    const value = (column: keyof typeof DEVICE) =>
      columns.find(([name]) => name === column)?.[1].get(device_name) ?? null;
    const inMs = (seconds: number | null) => (seconds === null ? null : seconds * 1000);
    return {
      device_name,
      total_reads: value('total_reads'),
      total_writes: value('total_writes'),
      read_bytes: value('read_bytes'),
      write_bytes: value('write_bytes'),
      read_time_ms: inMs(value('read_time_ms')),
      write_time_ms: inMs(value('write_time_ms')),
    };
  });
  return usedDevices(devices);
}

/** IPv4 before IPv6; only told where its collector is switched on. */
function addressesOf(samples: Samples): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const { labels } of samples.get('node_network_address_info') ?? []) {
    const [device, address] = [labels.get('device'), labels.get('address')];
    if (!device || !address) continue;
    const held = addresses.get(device);
    if (held === undefined || (held.includes(':') && !address.includes(':'))) addresses.set(device, address);
  }
  return addresses;
}

function interfacesOf(samples: Samples): HostInterface[] | undefined {
  const of = byDevice(samples);
  const columns = new Map(Object.entries(INTERFACE).map(([column, metric]) => [column, of(metric)]));
  const [speeds, addresses] = [of('node_network_speed_bytes'), addressesOf(samples)];
  const names = [...(columns.get('rx_bytes')?.keys() ?? [])];
  if (names.length === 0) return undefined;
  return names.filter(isCounted).map((interface_name): HostInterface => {
    const value = (column: keyof typeof INTERFACE) => columns.get(column)?.get(interface_name) ?? null;
    const speed = Math.round(((speeds.get(interface_name) ?? -1) * 8) / 1e6);
    const ip_address = addresses.get(interface_name);
    return {
      interface_name,
      ...(ip_address === undefined ? {} : { ip_address }),
      tx_bytes: value('tx_bytes'),
      tx_packets: value('tx_packets'),
      tx_errors: value('tx_errors'),
      tx_dropped: value('tx_dropped'),
      rx_bytes: value('rx_bytes'),
      rx_packets: value('rx_packets'),
      rx_errors: value('rx_errors'),
      rx_dropped: value('rx_dropped'),
      ...(speed > 0 ? { link_speed_mbps: speed } : {}),
    };
  });
}

function pressureOf(samples: Samples): Pressure | undefined {
  const found = Object.entries(PRESSURE).flatMap(([column, metric]) => {
    const seconds = only(samples, metric);
    return seconds === undefined ? [] : [[column, seconds * 1000] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

export function liveFacts(samples: Samples): HostFacts {
  const [one, five, fifteen] = [1, 5, 15].map((minutes) => only(samples, `node_load${minutes}`));
  const hasLoad = one !== undefined && five !== undefined && fifteen !== undefined;
  const booted_at = only(samples, 'node_boot_time_seconds');
  const now = only(samples, 'node_time_seconds');
  const states = samples.get('node_processes_state');
  return known({
    handle_count: only(samples, 'node_filefd_allocated'),
    process_count: only(samples, 'node_processes_pids'),
    thread_count: only(samples, 'node_processes_threads'),
    booted_at,
    up_seconds: now === undefined || booted_at === undefined ? undefined : Math.max(0, now - booted_at),
    cpu_times: cpuTimesOf(samples.get('node_cpu_seconds_total') ?? []),
    load: hasLoad ? { one, five, fifteen } : undefined,
    process_counts: states
      ? countStates(states.map(({ labels, value }) => [labels.get('state') ?? '', value]))
      : undefined,
    pressure: pressureOf(samples),
    io_devices: devicesOf(samples),
    interfaces: interfacesOf(samples),
  });
}
