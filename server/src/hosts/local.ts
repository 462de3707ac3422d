// The machine this process runs on, for a server that provably runs on it too (see colocation.ts).
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { provePostmaster } from './colocation.ts';
import { gatherLinuxFiles, type ReadFiles } from './linux-files.ts';
import { coresFromSiblings } from './parse/cpuinfo.ts';
import { parseMounts } from './parse/mounts.ts';
import type { HostFacts, HostInput, HostSource, SourceOutcome } from './types.ts';
import { readVolumes } from './volumes.ts';

export const readLocalFiles: ReadFiles = async (paths) => {
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

/** Everything Linux tells here; limits are those of the process `pid`. */
export async function gatherHere(pid: number): Promise<HostFacts> {
  const facts = await gatherLinuxFiles(readLocalFiles, `/proc/${pid}/cgroup`);
  const cores = facts.cpu_cores ?? (await coresFromTopology(facts.cpu_logical));
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  return {
    ...facts,
    architecture: facts.architecture ?? os.machine(),
    ...(cores === undefined ? {} : { cpu_cores: cores }),
    disks: await readVolumes(parseMounts(mounts)),
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
  return { status: 'ok', facts: await gatherHere(postmaster) };
}

export const source: HostSource = { name: 'local', order: 10, gather };
