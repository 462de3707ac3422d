import { describe, expect, it } from 'vitest';
import { isRealFilesystem, parseMounts, volumesOf } from './mounts.ts';
import { parseOsRelease, splitPrettyName } from './os-release.ts';
import { parseBootTime, parseProcStat } from './proc-stat.ts';

describe('os-release', () => {
  it('gives name and version, without quotes', () => {
    expect(
      parseOsRelease(
        'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\nID=debian\n',
      ),
    ).toEqual({
      os_name: 'Debian GNU/Linux',
      os_version: '12 (bookworm)',
    });
    expect(parseOsRelease("NAME='Alpine Linux'\nVERSION_ID=3.20.1\n")).toEqual({
      os_name: 'Alpine Linux',
      os_version: '3.20.1',
    });
  });
  it('of a rolling system has its build, and escapes are undone', () => {
    expect(parseOsRelease('NAME="Arch Linux"\nBUILD_ID=rolling\n')).toEqual({
      os_name: 'Arch Linux',
      os_version: 'rolling',
    });
    expect(parseOsRelease('# comment\nNAME="My \\"Own\\" \\$OS"\n')).toEqual({ os_name: 'My "Own" $OS' });
  });
  it('that is empty gives nothing', () => {
    expect(parseOsRelease('')).toEqual({});
    expect(parseOsRelease('NAME=\n')).toEqual({});
  });
  it('splits the pretty name of system_stats, which keeps quotes and the end of the line', () => {
    expect(splitPrettyName('"Ubuntu 24.04.1 LTS"\n')).toEqual({
      os_name: 'Ubuntu',
      os_version: '24.04.1 LTS',
    });
    expect(splitPrettyName('Red Hat Enterprise Linux Server 7.6 (Maipo)')).toEqual({
      os_name: 'Red Hat Enterprise Linux Server',
      os_version: '7.6 (Maipo)',
    });
    expect(splitPrettyName('"Arch Linux"\n')).toEqual({ os_name: 'Arch Linux' });
    expect(splitPrettyName('\n')).toEqual({});
  });
});

const MOUNTS = `sysfs /sys sysfs rw,nosuid 0 0
proc /proc proc rw 0 0
udev /dev devtmpfs rw,size=16G 0 0
tmpfs /run tmpfs rw,size=3G 0 0
/dev/mapper/vg0-root / ext4 rw,relatime 0 0
/dev/nvme1n1 /var/lib/postgresql xfs rw 0 0
/dev/nvme1n1 /srv/bind xfs rw 0 0
/dev/sdb1 /mnt/my\\040disk\\011x ext4 rw 0 0
/dev/loop3 /snap/core20/1974 squashfs ro 0 0
/dev/nvme0n1p1 /boot/efi vfat rw 0 0
nas:/export/backup /backup nfs4 rw 0 0
overlay /var/lib/docker/overlay2/abc/merged overlay rw,lowerdir=/a 0 0
cgroup2 /sys/fs/cgroup cgroup2 rw 0 0
lxcfs /var/lib/lxcfs fuse.lxcfs rw 0 0
tank/pg /tank/pg zfs rw 0 0
broken line
`;
const mountPointsOf = (text: string) =>
  volumesOf(parseMounts(text)).map((volume) => volume.map((m) => m.mount_point));

describe('mounts', () => {
  it('are real volumes, one for each device, the place nearest the root first', () => {
    expect(mountPointsOf(MOUNTS)).toEqual([
      ['/'],
      ['/backup'],
      ['/boot/efi'],
      ['/mnt/my disk\tx'],
      ['/srv/bind', '/var/lib/postgresql'],
      ['/tank/pg'],
    ]);
  });
  it('in a container keep the overlay of the root, and the places of the volume behind the files', () => {
    const container =
      'overlay / overlay rw 0 0\nproc /proc proc rw 0 0\n/dev/vda1 /etc/hosts ext4 rw 0 0\n/dev/vda1 /etc/hostname ext4 rw 0 0\n/dev/vda1 /var/lib/postgresql/data ext4 rw 0 0\nshm /dev/shm tmpfs rw 0 0\n';
    expect(mountPointsOf(container)).toEqual([
      ['/'],
      ['/etc/hosts', '/etc/hostname', '/var/lib/postgresql/data'],
    ]);
  });
  it('hidden by a later mount on the same place do not count', () => {
    expect(volumesOf(parseMounts('/dev/sda /data ext4 rw 0 0\n/dev/sdb /data xfs rw 0 0\n'))).toEqual([
      [{ device: '/dev/sdb', mount_point: '/data', filesystem_type: 'xfs' }],
    ]);
  });
  it('of memory, kernel and images are none', () => {
    for (const type of [
      'tmpfs',
      'devtmpfs',
      'squashfs',
      'iso9660',
      'proc',
      'autofs',
      'fuse.lxcfs',
      'overlay',
      '',
    ])
      expect(isRealFilesystem(type), type).toBe(false);
    for (const type of [
      'ext4',
      'xfs',
      'btrfs',
      'zfs',
      'nfs',
      'cifs',
      'fuseblk',
      'fuse.glusterfs',
      'virtiofs',
    ])
      expect(isRealFilesystem(type), type).toBe(true);
  });
});

describe('proc stat', () => {
  const tail = 'S 1 71 71 0 -1 4194304 97 0 0 0 3 1 0 0 20 0 1 0 132985 3133440 358';
  it('gives parent and start', () => {
    expect(parseProcStat(`71 (postgres) ${tail}\n`)).toEqual({
      pid: 71,
      comm: 'postgres',
      ppid: 1,
      state: 'S',
      cpu_ticks: 4,
      start_ticks: 132985,
    });
  });
  it('reads names with blanks and parentheses', () => {
    expect(parseProcStat(`71 (tmux: (x) S 9) ${tail}\n`)).toMatchObject({ comm: 'tmux: (x) S 9', ppid: 1 });
  });
  it('refuses anything else', () => {
    expect(parseProcStat('')).toBeUndefined();
    expect(parseProcStat('71 (postgres) S 1')).toBeUndefined();
  });
  it('gives the boot time', () => {
    expect(parseBootTime('cpu  1 2 3\nbtime 1795169848\nprocesses 8\n')).toBe(1795169848);
    expect(parseBootTime('cpu 1\n')).toBeUndefined();
  });
});
