// Sizes of mounted volumes on this machine. A dead network mount never answers: each question gets a time limit,
// and while one hangs its volume is not asked again, because every hanging question holds a thread of the process.
import { stat, statfs } from 'node:fs/promises';
import { type Mount, volumesOf } from './parse/mounts.ts';
import type { HostDisk } from './types.ts';

const LIMIT_MS = 2000;
const MOST_VOLUMES = 64;
const hanging = new Set<string>();

async function measure(mounts: readonly Mount[]): Promise<HostDisk | undefined> {
  for (const { device, mount_point, filesystem_type } of mounts) {
    // A container binds single files (/etc/hosts) from a volume; those are no place of it.
    if (!(await stat(mount_point).catch(() => undefined))?.isDirectory()) continue;
    const { blocks, bfree, bavail, bsize, frsize, files, ffree } = await statfs(mount_point);
    const unit = frsize > 0 ? frsize : bsize;
    if (blocks <= 0) return undefined;
    return {
      mount_point,
      filesystem_type,
      total_bytes: blocks * unit,
      used_bytes: Math.max(0, blocks - bfree) * unit,
      free_bytes: Math.max(0, bavail) * unit,
      device,
      // btrfs and its like make inodes as they need them and say 0.
      ...(files > 0 ? { total_inodes: files, free_inodes: ffree } : {}),
    };
  }
  return undefined;
}

async function measureInTime(mounts: readonly Mount[]): Promise<HostDisk | undefined> {
  const volume = mounts[0]?.device ?? '';
  if (hanging.has(volume)) return undefined;
  hanging.add(volume);
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), LIMIT_MS);
  const measured = measure(mounts)
    .catch(() => undefined)
    .finally(() => hanging.delete(volume));
  const disk = await Promise.race([measured, late.promise]);
  clearTimeout(timer);
  return disk;
}

/** An overlay shows the numbers of the volume below it: listed beside that volume it would count twice. */
export function withoutCoveredOverlay(disks: readonly HostDisk[]): HostDisk[] {
  const covered = (disk: HostDisk) =>
    disks.some((other) => other !== disk && other.total_bytes === disk.total_bytes);
  return disks.filter((disk) => disk.filesystem_type !== 'overlay' || !covered(disk));
}

/** The volumes behind these mounts, one entry for each, sorted by mount point. */
export async function readVolumes(mounts: readonly Mount[]): Promise<HostDisk[]> {
  const volumes = volumesOf(mounts).slice(0, MOST_VOLUMES);
  const disks = await Promise.all(volumes.map(measureInTime));
  return withoutCoveredOverlay(disks.filter((disk) => disk !== undefined));
}
