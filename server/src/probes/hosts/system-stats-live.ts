// What the functions of system_stats say of what changes all the time. Traps: on Linux the third load figure stands
// under ten minutes although it is that of fifteen; names of processes keep the parentheses of /proc; partitions and
// memory devices stand among the disks. The percentages of processor time are not read at all: the function sleeps
// in the server to measure them.
import { usedDevices } from './parse/diskstats.ts';
import { isCounted } from './parse/net-dev.ts';
import { countFrom, numberOf, positive, type Row, textOf } from './system-stats-row.ts';
import type { HostDevice, HostFacts, HostInterface, HostProcess } from './types.ts';

export const LIVE_FUNCTIONS = {
  pg_sys_load_avg_info: [
    'load_avg_one_minute',
    'load_avg_five_minutes',
    'load_avg_ten_minutes',
    'load_avg_fifteen_minutes',
  ],
  pg_sys_process_info: [
    'total_processes',
    'running_processes',
    'sleeping_processes',
    'stopped_processes',
    'zombie_processes',
  ],
  pg_sys_io_analysis_info: [
    'device_name',
    'total_reads',
    'total_writes',
    'read_bytes',
    'write_bytes',
    'read_time_ms',
    'write_time_ms',
  ],
  pg_sys_network_info: [
    'interface_name',
    'ip_address',
    'tx_bytes',
    'tx_packets',
    'tx_errors',
    'tx_dropped',
    'rx_bytes',
    'rx_packets',
    'rx_errors',
    'rx_dropped',
    'link_speed_mbps',
  ],
  pg_sys_cpu_memory_by_process: ['pid', 'name', 'running_since_seconds', 'cpu_usage', 'memory_bytes'],
} as const;

/** The field each of them is read for. */
export const LIVE_FIELDS = {
  pg_sys_load_avg_info: 'load',
  pg_sys_process_info: 'process_counts',
  pg_sys_io_analysis_info: 'io_devices',
  pg_sys_network_info: 'interfaces',
  pg_sys_cpu_memory_by_process: 'processes',
} as const satisfies Record<keyof typeof LIVE_FUNCTIONS, keyof HostFacts>;

export type LiveFunction = keyof typeof LIVE_FUNCTIONS;

export function loadFacts(row: Row | undefined): HostFacts {
  const [one, five, third, fourth] = LIVE_FUNCTIONS.pg_sys_load_avg_info.map((name) => numberOf(row, name));
  const fifteen = fourth ?? third;
  if (one === undefined || five === undefined || fifteen === undefined) return {};
  const ten = fourth === undefined ? undefined : third;
  return { load: { one, five, fifteen, ...(ten === undefined ? {} : { ten }) } };
}

export function processCountFacts(row: Row | undefined): HostFacts {
  const total = positive(row, 'total_processes');
  if (!row || total === undefined) return {};
  return {
    process_counts: {
      total,
      running: countFrom(row, 'running_processes'),
      sleeping: countFrom(row, 'sleeping_processes'),
      stopped: countFrom(row, 'stopped_processes'),
      zombie: countFrom(row, 'zombie_processes'),
    },
  };
}

export function deviceFacts(rows: readonly Row[]): HostFacts {
  const devices = rows.flatMap((row): HostDevice[] => {
    const device_name = textOf(row, 'device_name');
    if (device_name === undefined) return [];
    return [
      {
        device_name,
        total_reads: countFrom(row, 'total_reads'),
        total_writes: countFrom(row, 'total_writes'),
        read_bytes: countFrom(row, 'read_bytes'),
        write_bytes: countFrom(row, 'write_bytes'),
        read_time_ms: countFrom(row, 'read_time_ms'),
        write_time_ms: countFrom(row, 'write_time_ms'),
      },
    ];
  });
  return rows.length === 0 ? {} : { io_devices: usedDevices(devices) };
}

export function interfaceFacts(rows: readonly Row[]): HostFacts {
  const interfaces = new Map<string, HostInterface>();
  for (const row of rows) {
    const interface_name = textOf(row, 'interface_name');
    // An interface stands there once for each of its addresses; the first one names it.
    if (interface_name === undefined || !isCounted(interface_name) || interfaces.has(interface_name))
      continue;
    const ip_address = textOf(row, 'ip_address');
    const speed = positive(row, 'link_speed_mbps');
    interfaces.set(interface_name, {
      interface_name,
      ...(ip_address === undefined ? {} : { ip_address }),
      tx_bytes: countFrom(row, 'tx_bytes'),
      tx_packets: countFrom(row, 'tx_packets'),
      tx_errors: countFrom(row, 'tx_errors'),
      tx_dropped: countFrom(row, 'tx_dropped'),
      rx_bytes: countFrom(row, 'rx_bytes'),
      rx_packets: countFrom(row, 'rx_packets'),
      rx_errors: countFrom(row, 'rx_errors'),
      rx_dropped: countFrom(row, 'rx_dropped'),
      // 4294967295 is -1 of the kernel: no speed.
      ...(speed === undefined || speed >= 2 ** 31 - 1 ? {} : { link_speed_mbps: speed }),
    });
  }
  return rows.length === 0 ? {} : { interfaces: [...interfaces.values()] };
}

export function processFacts(rows: readonly Row[]): HostFacts {
  const processes = rows.flatMap((row): HostProcess[] => {
    const pid = positive(row, 'pid');
    const name = textOf(row, 'name')?.replace(/^\((.*)\)$/, '$1');
    if (pid === undefined || name === undefined || !/postgres|postmaster/.test(name)) return [];
    const [age, cpu, memory] = ['running_since_seconds', 'cpu_usage', 'memory_bytes'].map((column) =>
      numberOf(row, column),
    );
    return [
      {
        pid,
        name,
        ...(age === undefined ? {} : { running_since_seconds: age }),
        ...(cpu === undefined ? {} : { cpu_percent: cpu }),
        ...(memory === undefined ? {} : { memory_bytes: memory }),
      },
    ];
  });
  return rows.length === 0 ? {} : { processes };
}
