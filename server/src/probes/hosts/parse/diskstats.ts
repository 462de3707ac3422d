// /proc/diskstats, cut to whole devices: partitions, loop and RAM devices, floppies and optical drives are left out,
// and so are the hidden paths of NVMe multipath, which would count everything twice.
import type { HostDevice } from '../types.ts';

const SECTOR_BYTES = 512;
const NO_DISK = /^(loop|ram|zram|fd|sr)\d+$|^nvme\d+c\d+n\d+/;

/** The device that this name would be a partition of: sda of sda1, nvme0n1 of nvme0n1p2. */
function parentOf(name: string): string | undefined {
  const found = /^(.*\d)p\d+$/.exec(name) ?? /^(.*\D)\d+$/.exec(name);
  return found?.[1];
}

/** Names of whole devices. A name counts as a partition only beside its device: xvda1 may be all there is. */
export function wholeDevices(names: readonly string[]): string[] {
  const all = new Set(names);
  return names.filter((name) => {
    const parent = parentOf(name);
    return !NO_DISK.test(name) && !(parent !== undefined && all.has(parent));
  });
}

const bytesOf = (sectors: number | undefined) => (sectors === undefined ? null : sectors * SECTOR_BYTES);

function parseLine(line: string): HostDevice | undefined {
  const [, , device_name, ...words] = line.trim().split(/\s+/);
  const [reads = null, , readSectors, readMs = null, writes = null, , writtenSectors, writeMs] =
    words.map(Number);
  if (device_name === undefined || writeMs === undefined || !words.every((word) => /^\d+$/.test(word)))
    return undefined;
  return {
    device_name,
    total_reads: reads,
    total_writes: writes,
    read_bytes: bytesOf(readSectors),
    write_bytes: bytesOf(writtenSectors),
    read_time_ms: readMs,
    write_time_ms: writeMs,
  };
}

/** Devices that were ever used, as far as is known, in the order of the text. */
export function usedDevices(devices: readonly HostDevice[]): HostDevice[] {
  const whole = new Set(wholeDevices(devices.map(({ device_name }) => device_name)));
  return devices.filter(
    ({ device_name, total_reads, total_writes }) =>
      whole.has(device_name) && (total_reads !== 0 || total_writes !== 0),
  );
}

export function parseDiskstats(text: string): HostDevice[] {
  return usedDevices(text.split('\n').flatMap((line) => parseLine(line) ?? []));
}
