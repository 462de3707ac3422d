// Facts about the machine a monitored server runs on. Several sources may know them; each value travels with the
// source it came from and the time it was observed. Invariant: a source answers only what it knows about the
// server's own machine, and says in plain words why it knows nothing.
import type { Clock } from '../../kernel/clock.ts';
import type { Sql } from '../../kernel/sql.ts';

/** What hosts tell as probes of their own; pg_sys_* in the catalog. */
export type HostFamily =
  | 'os_info'
  | 'cpu_info'
  | 'cpu_usage'
  | 'memory'
  | 'io'
  | 'disk'
  | 'load'
  | 'process_counts'
  | 'network'
  | 'processes'
  | 'pressure';

/** A mounted volume. Bytes; used + free is less than total where blocks are reserved for root. */
export interface HostDisk {
  mount_point: string;
  filesystem_type: string;
  total_bytes: number;
  used_bytes: number;
  free_bytes: number;
  device?: string;
  /** Absent where the filesystem counts none. */
  total_inodes?: number;
  free_inodes?: number;
}

/** Seconds all processors together have spent since boot; of a kind that the system does not tell, absent. */
export interface CpuTimes {
  user: number;
  system: number;
  /** Of the time a cgroup allows where `processors` is set; then only differences mean something. */
  idle: number;
  nice?: number;
  iowait?: number;
  irq?: number;
  softirq?: number;
  steal?: number;
  /** The cgroup's limit that these times are measured against. */
  processors?: number;
}

/** A whole block device: no partition, no loop device. Counters since boot; null where its source does not tell. */
export interface HostDevice {
  device_name: string;
  total_reads: number | null;
  total_writes: number | null;
  read_bytes: number | null;
  write_bytes: number | null;
  read_time_ms: number | null;
  write_time_ms: number | null;
}

/** A network interface. Counters since it came up; null where its source does not tell. */
export interface HostInterface {
  interface_name: string;
  ip_address?: string;
  tx_bytes: number | null;
  tx_packets: number | null;
  tx_errors: number | null;
  tx_dropped: number | null;
  rx_bytes: number | null;
  rx_packets: number | null;
  rx_errors: number | null;
  rx_dropped: number | null;
  link_speed_mbps?: number;
}

/** A process of the PostgreSQL server. */
export interface HostProcess {
  pid: number;
  name: string;
  running_since_seconds?: number;
  /** Processor time since its start: percentages come from two of these. */
  cpu_seconds?: number;
  /** Percent of one processor, where a source knows no times. */
  cpu_percent?: number;
  /** Resident, with the shared memory it has touched. */
  memory_bytes?: number;
}

export interface LoadAverages {
  one: number;
  five: number;
  ten?: number;
  fifteen: number;
}

export interface ProcessCounts {
  total: number;
  /** These are null where the source does not tell. */
  running: number | null;
  /** Uninterruptible and idle ones included. */
  sleeping: number | null;
  stopped: number | null;
  zombie: number | null;
}

const RESOURCES = ['cpu', 'io', 'memory'] as const;
/** `cpu_some`, …: time in which some, or all, tasks waited for a resource. */
export type PressureKind = `${(typeof RESOURCES)[number]}_${'some' | 'full'}`;
export const PRESSURE_KINDS: readonly PressureKind[] = RESOURCES.flatMap(
  (resource) => [`${resource}_some`, `${resource}_full`] as const,
);
/** Percent of the last ten seconds, and milliseconds since boot. */
export type Pressure = { [K in `${PressureKind}_avg10` | `${PressureKind}_ms`]?: number };

/** Everything a source may know. An absent member is unknown. Bytes, hertz and counts, never estimates. */
export interface HostFacts {
  os_name?: string;
  os_version?: string;
  architecture?: string;
  hostname?: string;
  domain_name?: string;
  /** Open files of the whole system. */
  handle_count?: number;
  process_count?: number;
  thread_count?: number;
  up_seconds?: number;
  /** Seconds since the epoch. */
  booted_at?: number;
  cpu_model?: string;
  cpu_vendor?: string;
  cpu_description?: string;
  cpu_type?: string;
  cpu_family?: string;
  byte_order?: string;
  cpu_sockets?: number;
  /** Physical cores over all sockets. */
  cpu_cores?: number;
  /** Logical processors. */
  cpu_logical?: number;
  /** Hertz. */
  cpu_clock_speed?: number;
  /** Of one core, or of the cores that share it. */
  l1d_cache_bytes?: number;
  l1i_cache_bytes?: number;
  l2_cache_bytes?: number;
  l3_cache_bytes?: number;
  /** The cgroup's limit where one is set, else the machine's memory. */
  memory_total_bytes?: number;
  /** Total minus available. */
  memory_used_bytes?: number;
  memory_free_bytes?: number;
  /** What the kernel can take back: file cache, buffers, reclaimable slab. */
  memory_cache_bytes?: number;
  swap_total_bytes?: number;
  swap_used_bytes?: number;
  disks?: HostDisk[];
  /** The whole machine's memory, also where a cgroup limits the server to less. */
  node_memory_total_bytes?: number;
  cgroup_memory_limit_bytes?: number;
  /** Processors' worth of time the cgroup allows, e.g. 1.5. */
  cgroup_cpu_limit?: number;
  cpu_times?: CpuTimes;
  load?: LoadAverages;
  process_counts?: ProcessCounts;
  pressure?: Pressure;
  io_devices?: HostDevice[];
  interfaces?: HostInterface[];
  processes?: HostProcess[];
}

export type HostField = keyof HostFacts;
export type HostValue = HostFacts[HostField];

export interface HostInput {
  /** Runs one statement on the monitored server, in the connection's database; a rejection has its SQLSTATE as `code`. */
  query(statement: Sql): Promise<readonly Record<string, unknown>[]>;
  /** Of the connection; null when none is set. */
  node_exporter_url: string | null;
  /** The setting of that name: whether addresses in private ranges and loopback may be asked. */
  allow_private_networks: boolean;
  clock: Clock;
  signal: AbortSignal;
  /** What nobody has told yet, so that a source need not read what is dear; absent: everything. */
  wanted?: ReadonlySet<HostField>;
}

/** Whether any of the fields is still asked for. */
export function wants({ wanted }: Pick<HostInput, 'wanted'>, ...fields: readonly HostField[]): boolean {
  return wanted === undefined || fields.some((field) => wanted.has(field));
}

export type SourceOutcome =
  | { status: 'ok'; facts: HostFacts }
  /** `mend` is the command or SQL that would make the source answer. */
  | { status: 'unavailable'; reason: string; mend: string | null };

/** One way to learn about the machine. A file in this folder with `export const source: HostSource`. */
export interface HostSource {
  name: string;
  /** Lower is asked first and wins field by field. */
  order: number;
  /** What it could tell where it is set up; absent: everything. Decides whose mend is named. */
  tells?: readonly HostFamily[];
  /** Never rejects for an expected reason: those are outcomes. */
  gather(input: HostInput): Promise<SourceOutcome>;
}

/**
 * A row of the pseudo-probe `host`: a value with its origin, or what became of a source. Values that are rows of their
 * own probes are null here.
 */
export type HostRow =
  | { kind: 'value'; field: HostField; value: HostValue | null; source: string; observed_at: string }
  | {
      kind: 'source';
      source: string;
      status: 'ok' | 'unavailable';
      reason: string | null;
      mend: string | null;
    };
