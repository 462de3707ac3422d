// What the metrics of node_exporter say about a machine. Pure: text in, facts out. What changes all the time is in
// node-exporter-live.ts.
import { greatest } from '../../kernel/lists.ts';
import { LIVE_METRICS, liveFacts } from './node-exporter-live.ts';
import { parseExposition, type Sample, type Samples } from './parse/exposition.ts';
import { memoryFacts, parseMeminfo } from './parse/meminfo.ts';
import { type Mount, volumesOf } from './parse/mounts.ts';
import type { HostDisk, HostFacts } from './types.ts';

const MEMORY = [
  'MemTotal',
  'MemFree',
  'MemAvailable',
  'Buffers',
  'Cached',
  'Shmem',
  'SReclaimable',
  'SwapTotal',
  'SwapFree',
];
const WANTED = new Set([
  'node_uname_info',
  'node_os_info',
  'node_cpu_info',
  'node_cpu_seconds_total',
  'node_cpu_core_throttles_total',
  'node_cpu_frequency_max_hertz',
  'node_cpu_scaling_frequency_max_hertz',
  'node_filesystem_size_bytes',
  'node_filesystem_free_bytes',
  'node_filesystem_avail_bytes',
  'node_filesystem_files',
  'node_filesystem_files_free',
  ...LIVE_METRICS,
  ...MEMORY.map((name) => `node_memory_${name}_bytes`),
]);

const label = (sample: Sample | undefined, name: string) => sample?.labels.get(name) || undefined;

function osFacts(samples: Samples): HostFacts {
  const uname = samples.get('node_uname_info')?.[0];
  const release = samples.get('node_os_info')?.[0];
  const domain = label(uname, 'domainname');
  const entries = {
    os_name: label(release, 'name') ?? label(uname, 'sysname'),
    os_version: label(release, 'version') ?? label(release, 'version_id') ?? label(uname, 'release'),
    architecture: label(uname, 'machine'),
    hostname: label(uname, 'nodename'),
    domain_name: domain === '(none)' ? undefined : domain,
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

function distinct(samples: readonly Sample[] | undefined, names: readonly string[]): number | undefined {
  const keys = new Set<string>();
  for (const sample of samples ?? []) {
    const key = names.map((name) => sample.labels.get(name));
    if (key.every((part) => part !== undefined && part !== '')) keys.add(key.join('/'));
  }
  return keys.size || undefined;
}

function cpuFacts(samples: Samples): HostFacts {
  const info = samples.get('node_cpu_info');
  const clocks =
    samples.get('node_cpu_frequency_max_hertz') ?? samples.get('node_cpu_scaling_frequency_max_hertz') ?? [];
  const clock = greatest(clocks.map((sample) => sample.value).filter(Number.isFinite), 0);
  const cores =
    distinct(info, ['package', 'core']) ??
    distinct(samples.get('node_cpu_core_throttles_total'), ['package', 'core']);
  const logical = distinct(samples.get('node_cpu_seconds_total'), ['cpu']) ?? distinct(info, ['cpu']);
  const model = label(info?.[0], 'model_name');
  const vendor = label(info?.[0], 'vendor');
  const family = label(info?.[0], 'family');
  const sockets = distinct(info, ['package']);
  return {
    ...(vendor === undefined ? {} : { cpu_vendor: vendor }),
    ...(family === undefined ? {} : { cpu_family: family }),
    ...(sockets === undefined ? {} : { cpu_sockets: sockets }),
    ...(model === undefined ? {} : { cpu_model: model }),
    ...(cores === undefined ? {} : { cpu_cores: cores }),
    ...(logical === undefined ? {} : { cpu_logical: logical }),
    ...(clock > 0 ? { cpu_clock_speed: Math.round(clock) } : {}),
  };
}

/** The exporter repeats /proc/meminfo in bytes, so it is read as one. */
function memoryOf(samples: Samples): HostFacts {
  const lines = MEMORY.flatMap((name) => {
    const value = samples.get(`node_memory_${name}_bytes`)?.[0]?.value;
    return value === undefined || !(value >= 0) ? [] : [`${name}: ${Math.round(value)}`];
  });
  const meminfo = parseMeminfo(lines.join('\n'));
  return meminfo ? memoryFacts(meminfo) : {};
}

function mountOf(sample: Sample): Mount | undefined {
  const [device, mount_point, filesystem_type] = ['device', 'mountpoint', 'fstype'].map((name) =>
    sample.labels.get(name),
  );
  return device && mount_point && filesystem_type ? { device, mount_point, filesystem_type } : undefined;
}

function sizes(samples: readonly Sample[] | undefined): Map<string, number> {
  return new Map((samples ?? []).map((sample) => [sample.labels.get('mountpoint') ?? '', sample.value]));
}

function diskFacts(samples: Samples): HostFacts {
  const listed = samples.get('node_filesystem_size_bytes');
  if (!listed) return {};
  const [total, free, available] = [
    sizes(listed),
    sizes(samples.get('node_filesystem_free_bytes')),
    sizes(samples.get('node_filesystem_avail_bytes')),
  ];
  const files = sizes(samples.get('node_filesystem_files'));
  const filesFree = sizes(samples.get('node_filesystem_files_free'));
  const mounts = listed.map(mountOf).filter((mount) => mount !== undefined);
  const disks = volumesOf(mounts).flatMap(([mount]): HostDisk[] => {
    if (!mount) return [];
    const { device, mount_point, filesystem_type } = mount;
    const [total_inodes, free_inodes] = [files.get(mount_point), filesFree.get(mount_point)];
    const [all, unused] = [total.get(mount_point), free.get(mount_point)];
    if (all === undefined || unused === undefined || !(all > 0) || !(unused >= 0)) return [];
    return [
      {
        mount_point,
        filesystem_type,
        total_bytes: all,
        used_bytes: Math.max(0, all - unused),
        free_bytes: available.get(mount_point) ?? unused,
        device,
        ...(total_inodes && free_inodes !== undefined ? { total_inodes, free_inodes } : {}),
      },
    ];
  });
  return { disks };
}

export function nodeExporterFacts(page: string): HostFacts {
  const samples = parseExposition(page, WANTED);
  return {
    ...osFacts(samples),
    ...cpuFacts(samples),
    ...memoryOf(samples),
    ...diskFacts(samples),
    ...liveFacts(samples),
  };
}
