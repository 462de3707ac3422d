// The machine this process runs on, for a server that provably runs on it too (see colocation.ts).
import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import { provePostmaster } from './colocation.ts';
import { gatherLinuxFiles, type ReadFiles } from './linux-files.ts';
import { readProcesses } from './local-processes.ts';
import { coresFromSiblings } from './parse/cpuinfo.ts';
import { parseMounts } from './parse/mounts.ts';
import {
  type HostFacts,
  type HostInput,
  type HostInterface,
  type HostSource,
  type SourceOutcome,
  wants,
} from './types.ts';
import { readVolumes } from './volumes.ts';

const readLocalFiles: ReadFiles = async (paths) => {
  const read = await Promise.all(
    paths.map(async (path) => [path, await readFile(path, 'utf8').catch(() => undefined)] as const),
  );
  return new Map(read.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const])));
};

/** Where cpuinfo names no cores (ARM), the topology does. */
async function coresFromTopology(logical: number | undefined): Promise<number | undefined> {
  if (logical === undefined || logical > 4096) return undefined;
  const topology = Array.from(
    { length: logical },
    (_, cpu) => `/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`,
  );
  const files = await readLocalFiles(topology);
  return coresFromSiblings(topology.map((path) => files.get(path)));
}

/** Whether a process sees the same network as we do: the kernel shows each network as files of its own. */
async function sharesNetwork(pid: number): Promise<boolean> {
  const [mine, theirs] = await Promise.all(
    ['self', pid].map((process) => stat(`/proc/${process}/net/dev`).catch(() => undefined)),
  );
  return mine !== undefined && mine.ino === theirs?.ino && mine.dev === theirs.dev;
}

/** IPv4 before IPv6, and only of a network that is ours too. */
async function withAddresses(pid: number, interfaces: readonly HostInterface[]): Promise<HostInterface[]> {
  if (!(await sharesNetwork(pid))) return [...interfaces];
  const addresses = os.networkInterfaces();
  return interfaces.map((one) => {
    const found = addresses[one.interface_name] ?? [];
    const ip_address = (found.find(({ family }) => family === 'IPv4') ?? found[0])?.address;
    return ip_address === undefined ? one : { ...one, ip_address };
  });
}

type GatherOptions = Pick<HostInput, 'wanted'>;

/** Everything Linux tells here; limits, network and processes are those of the process `pid`. */
async function gatherHere(pid: number, asked: GatherOptions = {}): Promise<HostFacts> {
  const sources = { cgroup: `/proc/${pid}/cgroup`, netDev: `/proc/${pid}/net/dev`, ...asked };
  const facts = await gatherLinuxFiles(readLocalFiles, sources);
  const cores = facts.cpu_cores ?? (await coresFromTopology(facts.cpu_logical));
  const { interfaces } = facts;
  return {
    ...facts,
    architecture: facts.architecture ?? os.machine(),
    byte_order: os.endianness() === 'LE' ? 'Little Endian' : 'Big Endian',
    ...(cores === undefined ? {} : { cpu_cores: cores }),
    ...(interfaces ? { interfaces: await withAddresses(pid, interfaces) } : {}),
    ...(wants(asked, 'disks')
      ? { disks: await readVolumes(parseMounts(await readFile('/proc/self/mounts', 'utf8').catch(() => ''))) }
      : {}),
    ...(wants(asked, 'processes', 'process_counts', 'process_count')
      ? await readProcesses(pid, facts.up_seconds)
      : {}),
  };
}

async function gather(input: HostInput): Promise<SourceOutcome> {
  if (process.platform !== 'linux') {
    const reason = 'Matriarch itself does not run on Linux, so it cannot tell whether the server runs here.';
    return { status: 'unavailable', reason, mend: null };
  }
  const postmaster = await provePostmaster(input.query);
  if (postmaster === undefined) {
    const reason =
      'Nothing proves that the server runs on the machine of Matriarch: its processes are not seen here.';
    return { status: 'unavailable', reason, mend: null };
  }
  return { status: 'ok', facts: await gatherHere(postmaster, input) };
}

export const source: HostSource = { name: 'local', order: 10, gather };
