// /proc/mounts, cut to the volumes that can fill up: no kernel, memory or image filesystems, one entry for each
// device however often it is bound, and of two mounts on one place only the one that is seen.

export interface Mount {
  device: string;
  mount_point: string;
  filesystem_type: string;
}

const decode = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** Blanks, tabs, newlines and backslashes in names are written as octal numbers. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [device, mount_point, filesystem_type] = line.split(' ');
    if (!device || !mount_point?.startsWith('/') || !filesystem_type) return [];
    return [{ device: decode(device), mount_point: decode(mount_point), filesystem_type }];
  });
}

const LOCAL =
  /^(ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|jfs|reiserfs|nilfs2|ufs|vfat|msdos|exfat|ntfs3?|fuseblk|hfs|hfsplus|apfs)$/i;
const SHARED = /^(nfs4?|cifs|smb3|smbfs|ceph|glusterfs|gfs2|ocfs2|lustre|beegfs|gpfs|afs|9p|virtiofs|drvfs)$/;
const SHARED_FUSE =
  /^fuse\.(glusterfs|ceph|ceph-fuse|juicefs|sshfs|s3fs|rclone|mfs|moosefs|lizardfs|bindfs)$/;

/** Whether a filesystem of this type stores files of its own. */
export function isRealFilesystem(filesystem_type: string): boolean {
  return LOCAL.test(filesystem_type) || SHARED.test(filesystem_type) || SHARED_FUSE.test(filesystem_type);
}

/** The root of a container is an overlay, and the only sight of its volume. */
const isRootOverlay = (mount: Mount) => mount.filesystem_type === 'overlay' && mount.mount_point === '/';

function nearerRoot(a: Mount, b: Mount): number {
  const byLength = a.mount_point.length - b.mount_point.length;
  return byLength !== 0 ? byLength : a.mount_point < b.mount_point ? -1 : 1;
}

/** All places of each volume, the one nearest the root first; volumes sorted by that place. */
export function volumesOf(mounts: readonly Mount[]): Mount[][] {
  const seen = new Map(mounts.map((mount) => [mount.mount_point, mount]));
  const volumes = new Map<string, Mount[]>();
  for (const mount of seen.values()) {
    if (!isRealFilesystem(mount.filesystem_type) && !isRootOverlay(mount)) continue;
    const key = `${mount.filesystem_type} ${mount.device}`;
    volumes.set(key, [...(volumes.get(key) ?? []), mount]);
  }
  const mountPoint = (volume: Mount[]) => volume[0]?.mount_point ?? '';
  return [...volumes.values()]
    .map((volume) => volume.sort(nearerRoot))
    .sort((a, b) => (mountPoint(a) < mountPoint(b) ? -1 : 1));
}
