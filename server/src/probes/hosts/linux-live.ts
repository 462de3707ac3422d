// The part of what Linux tells that changes all the time: processor time, load, devices, interfaces, pressure. Files
// that a kernel may refuse to read (pressure that is switched off, the speed of a virtual interface) are asked for
// by themselves, so that they cost nothing else.
import type { ReadFiles } from './linux-files.ts';
import { parseCpuTimes, parseUptime } from './parse/cpu-times.ts';
import { parseDiskstats } from './parse/diskstats.ts';
import { parseLoadavg, parsePressure } from './parse/load.ts';
import { parseNetDev, parseSpeed } from './parse/net-dev.ts';
import { parseBootTime } from './parse/proc-stat.ts';
import { type HostFacts, type HostField, type HostInterface, wants } from './types.ts';

const STAT = '/proc/stat';
const UPTIME = '/proc/uptime';
const LOADAVG = '/proc/loadavg';
const DISKSTATS = '/proc/diskstats';
const OPEN_FILES = '/proc/sys/fs/file-nr';
const DOMAIN = '/proc/sys/kernel/domainname';
const PRESSURE = ['cpu', 'io', 'memory'] as const;
const MOST_SPEEDS = 32;

export interface LiveSources {
  /** /proc/net/dev as the server's process sees it. */
  netDev: string;
  wanted?: ReadonlySet<HostField>;
}

const OF_FIELDS: readonly (readonly [string, readonly HostField[]])[] = [
  [STAT, ['cpu_times', 'booted_at']],
  [UPTIME, ['cpu_times', 'up_seconds']],
  [LOADAVG, ['load', 'thread_count']],
  [DISKSTATS, ['io_devices']],
  [OPEN_FILES, ['handle_count']],
  [DOMAIN, ['domain_name']],
];

/** Files to read together with the slow ones. */
export function livePaths(sources: LiveSources): string[] {
  const paths = OF_FIELDS.flatMap(([path, fields]) =>
    fields.some((field) => wants(sources, field)) ? [path] : [],
  );
  return wants(sources, 'interfaces') ? [...paths, sources.netDev] : paths;
}

const known = (values: object): HostFacts =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

async function withSpeeds(read: ReadFiles, interfaces: readonly HostInterface[]): Promise<HostInterface[]> {
  const speedOf = (name: string) => `/sys/class/net/${name}/speed`;
  const names = interfaces.map(({ interface_name }) => interface_name);
  const asked = names.filter((name) => /^[A-Za-z0-9_.-]+$/.test(name) && !/^(lo|\.+)$/.test(name));
  const files = await read(asked.slice(0, MOST_SPEEDS).map(speedOf));
  return interfaces.map((one) => {
    const link_speed_mbps = parseSpeed(files.get(speedOf(one.interface_name)));
    return link_speed_mbps === undefined ? one : { ...one, link_speed_mbps };
  });
}

function fromFiles(files: ReadonlyMap<string, string>): HostFacts {
  const text = (path: string) => files.get(path) ?? '';
  const loadavg = parseLoadavg(text(LOADAVG));
  const domain = text(DOMAIN).trim();
  const handles = /^(\d+)\s/.exec(text(OPEN_FILES))?.[1];
  return known({
    domain_name: domain === '' || domain === '(none)' ? undefined : domain,
    handle_count: handles === undefined ? undefined : Number(handles),
    thread_count: loadavg?.threads,
    up_seconds: parseUptime(text(UPTIME)),
    booted_at: parseBootTime(text(STAT)),
    cpu_times: parseCpuTimes(text(STAT)),
    load: loadavg?.load,
    io_devices: files.has(DISKSTATS) ? parseDiskstats(text(DISKSTATS)) : undefined,
  });
}

/** From the files of `livePaths`, and a few more that are read here. */
export async function gatherLive(
  read: ReadFiles,
  files: ReadonlyMap<string, string>,
  sources: LiveSources,
): Promise<HostFacts> {
  const facts = fromFiles(files);
  const netDev = files.get(sources.netDev);
  if (netDev !== undefined) facts.interfaces = await withSpeeds(read, parseNetDev(netDev));
  if (wants(sources, 'pressure')) {
    const found = await read(PRESSURE.map((resource) => `/proc/pressure/${resource}`));
    const parts = PRESSURE.map((one) => parsePressure(one, found.get(`/proc/pressure/${one}`) ?? ''));
    const pressure = Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
    if (Object.keys(pressure).length > 0) facts.pressure = pressure;
  }
  return facts;
}
