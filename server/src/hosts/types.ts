// Facts about the machine a monitored server runs on. Several sources may know them; each value travels with the
// source it came from and the time it was observed. Invariant: a source answers only what it knows about the
// server's own machine, and says in plain words why it knows nothing.
import type { Clock } from '../kernel/clock.ts';
import type { Sql } from '../kernel/sql.ts';

/** A mounted volume. Bytes; used + free is less than total where blocks are reserved for root. */
export interface HostDisk {
  mount_point: string;
  filesystem_type: string;
  total_bytes: number;
  used_bytes: number;
  free_bytes: number;
}

/** Everything a source may know. An absent member is unknown. Bytes, hertz and counts, never estimates. */
export interface HostFacts {
  os_name?: string;
  os_version?: string;
  architecture?: string;
  hostname?: string;
  cpu_model?: string;
  /** Physical cores over all sockets. */
  cpu_cores?: number;
  /** Logical processors. */
  cpu_logical?: number;
  /** Hertz. */
  cpu_clock_speed?: number;
  /** The cgroup's limit where one is set, else the machine's memory. */
  memory_total_bytes?: number;
  /** Total minus available. */
  memory_used_bytes?: number;
  memory_free_bytes?: number;
  swap_total_bytes?: number;
  swap_used_bytes?: number;
  disks?: HostDisk[];
  /** The whole machine's memory, also where a cgroup limits the server to less. */
  node_memory_total_bytes?: number;
  cgroup_memory_limit_bytes?: number;
  /** Processors' worth of time the cgroup allows, e.g. 1.5. */
  cgroup_cpu_limit?: number;
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
  /** Never rejects for an expected reason: those are outcomes. */
  gather(input: HostInput): Promise<SourceOutcome>;
}

/** A row of the pseudo-probe `host`: a value with its origin, or what became of a source. */
export type HostRow =
  | { kind: 'value'; field: HostField; value: HostValue; source: string; observed_at: string }
  | {
      kind: 'source';
      source: string;
      status: 'ok' | 'unavailable';
      reason: string | null;
      mend: string | null;
    };
