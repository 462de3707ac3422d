// What the machine of a server did at one instant. Pure. Guards: each figure says of when it is, or why it is not known.
import type { Output } from '../../kernel/contract.ts';
import { bytesOf, numberOf, textOf } from './cells.ts';
import type * as contract from './moment.contract.ts';
import { asOf } from './parts.ts';
import type { MomentPart } from './stored-moment.ts';

type Host = Output<typeof contract.getConnectionMoment>['host'];

export function hostOf(part: (probe: string) => MomentPart): Host {
  const [cpu, processors, load, memory, disks] = [
    part('pg_sys_cpu_usage_info'),
    part('pg_sys_cpu_info'),
    part('pg_sys_load_avg_info'),
    part('pg_sys_memory_info'),
    part('pg_sys_disk_info'),
  ] as const;
  const [busy, machine, loads, bytes] = [cpu.rows[0], processors.rows[0], load.rows[0], memory.rows[0]];
  return {
    cpu: {
      ...asOf(cpu),
      busy_percent: numberOf(busy?.processor_time_percent),
      io_wait_percent: numberOf(busy?.io_completion_percent),
    },
    processors: {
      ...asOf(processors),
      count: numberOf(machine?.logical_processor),
      model: textOf(machine?.model_name),
    },
    load: {
      ...asOf(load),
      one_minute: numberOf(loads?.load_avg_one_minute),
      five_minutes: numberOf(loads?.load_avg_five_minutes),
      fifteen_minutes: numberOf(loads?.load_avg_fifteen_minutes),
    },
    memory: {
      ...asOf(memory),
      total_bytes: bytesOf(bytes?.total_memory),
      used_bytes: bytesOf(bytes?.used_memory),
      swap_used_bytes: bytesOf(bytes?.swap_used),
    },
    disks: {
      ...asOf(disks),
      rows:
        disks.at === null
          ? null
          : disks.rows.map((row) => ({
              mount_point: textOf(row.mount_point),
              total_bytes: bytesOf(row.total_space),
              used_bytes: bytesOf(row.used_space),
              free_bytes: bytesOf(row.free_space),
            })),
    },
  };
}
