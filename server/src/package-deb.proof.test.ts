// The Debian package, as dpkg takes it: what is in it, its service judged by systemd, and installed, used, upgraded, removed and purged for
// real in an overlay of this machine, which keeps none of it. Where that cannot run, the test says so by being skipped.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDirectory } from './testing/servers/postgres.ts';

const run = promisify(execFile);
const packaging = fileURLToPath(new URL('../../scripts/package-deb.mjs', import.meta.url));
const unit = fileURLToPath(new URL('../../deploy/debian/matriarch.service', import.meta.url));
/** Of the container, which is made of this package. */
const healthcheck = fileURLToPath(new URL('../../deploy/container/healthcheck', import.meta.url));
const tool = (name: string) => path.join('/usr/bin', name);
const canBuild = process.platform === 'linux' && existsSync(tool('dpkg-deb'));
const DEB = `matriarch_1.0.0_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`;

/** Of a shell that sees mounts and processes of its own, in an overlay of the machine. */
const INSTALL = `
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --bind /dev "$1/root/dev"
mount -t tmpfs tmpfs "$1/root/tmp"
cp "$2" "$1/root/package.deb"
cp "$3" "$1/root/steps.sh"
cp "$4" "$1/root/healthcheck"
exec chroot "$1/root" /bin/sh /steps.sh
`;

const STEPS = `
set -e
export DEBIAN_FRONTEND=noninteractive
as() { setpriv --reuid=matriarch --regid=matriarch --clear-groups env -i PATH=/usr/bin:/bin HOME=/var/lib/matriarch "$@"; }
node=$(ls -d /usr/lib/matriarch/node_modules/node-linux-*/bin/node 2>/dev/null || true)
[ -z "$node" ] || { echo "matriarch is installed on this machine"; exit 3; }
dpkg -i /package.deb
node=$(ls -d /usr/lib/matriarch/node_modules/node-linux-*/bin/node)
echo "mode of data: $(stat -c '%a %U' /var/lib/matriarch)"
echo "mode of settings: $(stat -c '%a %U:%G' /etc/matriarch/matriarch.yaml)"
if command -v systemd-analyze > /dev/null; then systemd-analyze verify /lib/systemd/system/matriarch.service; fi
cd /
echo "version: $(as matriarch --version)"
isReady() {
"$node" -e '
  for (let at = 0; at < 1200; at += 1) {
    const answer = await fetch("http://127.0.0.1:18480/health/ready").catch(() => undefined);
    if (answer?.ok) { console.log("ready:", (await answer.json()).status); process.exit(0); }
    await new Promise((go) => setTimeout(go, 100));
  }
  process.exit(1);' --input-type=module
}
# As systemd starts it: what the program tells a service manager goes to this socket.
perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, pack_sockaddr_un("/tmp/notify")) or die $!; chmod 0777, "/tmp/notify";
  $| = 1; while (defined recv($s, my $m, 4096, 0)) { print "notified: $m\\n" }' &
receiver=$!
until [ -S /tmp/notify ]; do :; done
as NOTIFY_SOCKET=/tmp/notify WATCHDOG_USEC=2000000 matriarch start --port 18480 >/tmp/out 2>&1 &
program=$!
isReady || { cat /tmp/out; exit 1; }
install -d -o matriarch -g matriarch /backup
as matriarch backup /backup/one
MATRIARCH_PORT=18480 /bin/sh /healthcheck && echo "healthy"
kill -TERM "$(head -n 1 /var/lib/matriarch/matriarch.pid)"
wait $program
sleep 1
kill $receiver
MATRIARCH_PORT=18480 /bin/sh /healthcheck || echo "not healthy"
echo "left: $(pgrep -u matriarch -c . || true)"
sed -i 's/^port: 8080/port: 9090/' /etc/matriarch/matriarch.yaml
dpkg -i /package.deb
echo "settings kept: $(grep -c '^port: 9090' /etc/matriarch/matriarch.yaml)"
# As docs/backup.md has it, without systemd.
cp /var/lib/matriarch/secret.key /root/secret.key
mv /var/lib/matriarch /var/lib/matriarch.before
install -d -m 700 -o matriarch -g matriarch /var/lib/matriarch
as matriarch restore /backup/one
install -m 600 -o matriarch -g matriarch /root/secret.key /var/lib/matriarch/secret.key
as matriarch start --port 18480 >/tmp/out 2>&1 &
program=$!
isReady || { cat /tmp/out; exit 1; }
kill -TERM "$(head -n 1 /var/lib/matriarch/matriarch.pid)"
wait $program
dpkg -r matriarch
rm -r /var/lib/matriarch.before
echo "data kept: $(ls /var/lib/matriarch | grep -c '^secret.key$')"
dpkg --purge matriarch
for left in /var/lib/matriarch /etc/matriarch /usr/lib/matriarch /usr/bin/matriarch /lib/systemd/system/matriarch.service; do
  [ ! -e "$left" ] || { echo "left behind: $left"; exit 1; }
done
echo "purged"
`;

let out = '';
beforeAll(async () => {
  if (!canBuild) return;
  out = testDirectory('deb');
  await run(process.execPath, [packaging, '--out', out]);
});

describe.skipIf(!canBuild)('the Debian package', () => {
  it('has the program, its settings and its service, owned by root, and no source or test', async () => {
    const { stdout: info } = await run(tool('dpkg-deb'), ['--info', path.join(out, DEB)]);
    expect(info).toMatch(/Package: matriarch\n Version: 1\.0\.0\n/);
    expect(info).toMatch(/conffiles/);
    const { stdout } = await run(tool('dpkg-deb'), ['--contents', path.join(out, DEB)], {
      maxBuffer: 2 ** 26,
    });
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => !/ root\/root /.test(line))).toEqual([]);
    const files = lines.map((line) => line.split(/\s+/)[5] ?? '');
    expect(files).toEqual(
      expect.arrayContaining([
        './usr/bin/matriarch',
        './etc/matriarch/matriarch.yaml',
        './lib/systemd/system/matriarch.service',
        './usr/lib/matriarch/web/dist/index.html',
        './usr/share/doc/matriarch/copyright',
        './usr/share/doc/matriarch/THIRD-PARTY-NOTICES.txt',
      ]),
    );
    expect(
      files.filter((file) => /matriarch\/(?:server|web|scripts)\/.*(?:\.tsx?|\.test\.\w+)$/.test(file)),
    ).toEqual([]);
  });

  it('has a service that systemd judges safe', async (test) => {
    if (!existsSync(tool('systemd-analyze'))) return test.skip('this machine has no systemd-analyze');
    const { stdout } = await run(tool('systemd-analyze'), ['security', '--offline=true', unit]);
    const level = Number(/exposure level for matriarch\.service: ([\d.]+)/.exec(stdout)?.[1]);
    expect(level).toBeLessThanOrEqual(2);
    expect(readFileSync(unit, 'utf8')).toMatch(/^KillMode=mixed$/m);
  });

  it('is what Debian asks of a package', { timeout: 420_000 }, async (test) => {
    if (!existsSync(tool('lintian'))) return test.skip('this machine has no lintian');
    const args = ['--allow-root', '--fail-on', 'error,warning', path.join(out, DEB)];
    const { stdout } = await run(tool('lintian'), args).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('is the same bytes when it is built again', async () => {
    const again = testDirectory('deb');
    await run(process.execPath, [packaging, '--out', again]);
    const sum = (folder: string) => readFileSync(path.join(folder, `${DEB}.sha256`), 'utf8');
    expect(sum(again)).toBe(sum(out));
  });

  it('is installed, used as its user, upgraded with the settings kept, removed and purged', async (test) => {
    const folder = testDirectory('deb-root');
    const own = ['--mount', '--pid', '--fork', '--kill-child'];
    const canMount = () =>
      execFileSync(tool('unshare'), [
        ...own,
        'sh',
        '-c',
        INSTALL.replace(/^cp[\s\S]*/m, 'true'),
        'sh',
        mounted,
      ]);
    const mounted = path.join(folder, 'machine');
    mkdirSync(mounted);
    try {
      canMount();
    } catch {
      return test.skip('overlays cannot be mounted here, or not by this user');
    }
    const steps = path.join(folder, 'steps.sh');
    writeFileSync(steps, STEPS);
    const args = [...own, 'sh', '-c', INSTALL, 'sh', mounted, path.join(out, DEB), steps, healthcheck];
    const { stdout } = await run(tool('unshare'), args, { maxBuffer: 2 ** 26, timeout: 400_000 });
    expect(stdout).toContain('mode of data: 700 matriarch\n');
    expect(stdout).toContain('mode of settings: 640 root:matriarch\n');
    expect(stdout).toMatch(/^version: 1\.0\.0/m);
    expect(stdout.match(/^ready: ok$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^notified: STATUS=Creating a PostgreSQL/m);
    for (const state of ['READY=1', 'WATCHDOG=1', 'STOPPING=1'])
      expect(stdout).toMatch(new RegExp(`^(?:notified: .*)?${state}$`, 'm'));
    expect(stdout).toMatch(/^Backed up \d+ files/m);
    expect(stdout).toContain('\nhealthy\n');
    expect(stdout).toContain('\nnot healthy\n');
    expect(stdout).toContain('left: 0\n');
    expect(stdout).toContain('settings kept: 1\n');
    expect(stdout).toMatch(/ is restored to \/var\/lib\/matriarch\./);
    expect(stdout).toContain('data kept: 1\n');
    expect(stdout).toContain('purged\n');
  }, 420_000);
});
