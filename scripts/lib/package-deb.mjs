// The Debian package: what is in the tarball, with its locked packages, the runtime and PostgreSQL, so that it needs no network and no Node
// of the machine; the service, its settings and its user. Guards: the same commit makes the same bytes.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { RUNTIME_FLAGS, withMemory } from './memory.mjs';
import { NOTICES } from './package-notices.mjs';
import { readJson } from './package-tarball.mjs';
import { at, fail, RUNTIMES } from './paths.mjs';
import { run } from './run.mjs';

const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };
const MAINTAINER = 'The Matriarch developers <matriarch@localhost>';
const platform = `${process.platform}-${process.arch}`;
const debian = (name) => readFileSync(at('deploy', 'debian', name), 'utf8');

function write(target, text, mode = 0o644) {
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  chmodSync(target, mode);
}

/** Of another platform than this one. */
const isForeign = ({ os, cpu }) =>
  (os !== undefined && !os.includes(process.platform)) || (cpu !== undefined && !cpu.includes(process.arch));

/** Of the runtime only its program, of other packages neither types nor maps of sources. */
function isWanted(place, file) {
  const inside = path.relative(at(place), file);
  if (/^node_modules\/node-linux-[^/]+$/.test(place))
    return inside === '' || /^(?:bin(?:\/node)?|LICENSE|package\.json)$/.test(inside);
  return !/\.(?:d\.[cm]?ts|[cm]?js\.map|a)$/.test(inside) && inside !== 'node_modules';
}

/** npm's packages hold no links, and none can be made in /usr later. */
function linkPostgres(folder) {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of readJson(list)) {
    const link = path.join(folder, target);
    rmSync(link, { force: true });
    symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

/** The packages of the shrinkwrap, from those that are installed here, which have to be the same. */
function copyPackages(home) {
  const { packages } = readJson(path.join(home, 'npm-shrinkwrap.json'));
  for (const [place, entry] of Object.entries(packages)) {
    if (place === '' || isForeign(entry)) continue;
    const manifest = at(place, 'package.json');
    if (!existsSync(manifest) && entry.optional) continue;
    if (!existsSync(manifest) || readJson(manifest).version !== entry.version)
      fail(`${place} is not installed as package-lock.json says: run npm start once.`);
    cpSync(at(place), path.join(home, place), { recursive: true, filter: (file) => isWanted(place, file) });
    linkPostgres(path.join(home, place));
  }
  if (!existsSync(path.join(home, 'node_modules', RUNTIMES[platform])))
    fail('The runtime is not installed: run npm start once.');
}

function launcher() {
  const memory = Object.entries(withMemory({}))
    .map(([name, value]) => `export ${name}="\${${name}:-${value}}"`)
    .join('\n');
  const filled = { MEMORY: memory, RUNTIME: RUNTIMES[platform], FLAGS: RUNTIME_FLAGS.join(' ') };
  return debian('launcher').replaceAll(/@(\w+)@/g, (_match, name) => filled[name]);
}

function control(version) {
  return [
    'Package: matriarch',
    `Version: ${version}`,
    `Architecture: ${ARCHITECTURES[platform]}`,
    `Maintainer: ${MAINTAINER}`,
    'Section: database',
    'Priority: optional',
    'Depends: adduser, init-system-helpers (>= 1.54), libc6 (>= 2.28), libstdc++6',
    'Description: monitoring of PostgreSQL servers',
    ' Matriarch watches PostgreSQL servers and remembers: load, statements, locks,',
    ' tables, the machine, alerts and findings, with a web page, an API and a',
    ' command line. It brings its own runtime and a PostgreSQL to store in.',
    '',
  ].join('\n');
}

function copyDocuments(root, home) {
  const target = path.join(root, 'usr/share/doc/matriarch');
  cpSync(path.join(home, 'docs'), target, { recursive: true });
  cpSync(path.join(home, 'docs/reference/configuration.md'), path.join(target, 'configuration.md'));
  for (const name of ['README.md', 'CHANGELOG.md', 'SECURITY.md', NOTICES])
    cpSync(path.join(home, name), path.join(target, name));
}

/** In the form that Debian has it; what changed is in CHANGELOG.md. */
function debianChangelog(version) {
  const at = new Date(Number(commitSeconds()) * 1000).toUTCString().replace('GMT', '+0000');
  const lines = [
    `matriarch (${version}) unstable; urgency=medium`,
    '',
    '  * See CHANGELOG.md in this directory.',
    '',
  ];
  return `${[...lines, ` -- ${MAINTAINER}  ${at}`].join('\n')}\n`;
}

/** What Debian asks of each package. */
function writeFormalities(root, version) {
  const documents = path.join(root, 'usr/share/doc/matriarch');
  write(path.join(documents, 'copyright'), debian('copyright'));
  write(path.join(documents, 'changelog.gz'), gzipSync(debianChangelog(version), { level: 9 }));
  write(path.join(root, 'usr/share/man/man1/matriarch.1.gz'), gzipSync(debian('matriarch.1'), { level: 9 }));
  write(path.join(root, 'usr/share/lintian/overrides/matriarch'), debian('lintian-overrides'));
}

/** Directories and files in the form that a package has them, whatever the umask of who builds it. */
async function openToAll(root) {
  await run('chmod', ['-R', 'u=rwX,go=rX', root]);
}

function commitSeconds() {
  const told = process.env.SOURCE_DATE_EPOCH;
  if (told !== undefined) return told;
  const options = { cwd: at(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  return execFileSync('git', ['log', '-1', '--format=%ct'], options).trim();
}

/** Makes it in `out` of the stage of the tarball; answers its name. */
export async function makeDeb(stage, out) {
  if (!(platform in ARCHITECTURES)) fail('A Debian package is made on Linux (x64, arm64).');
  const { version } = readJson(path.join(stage, 'package.json'));
  const root = path.join(path.dirname(stage), 'deb');
  const home = path.join(root, 'usr/lib/matriarch');
  cpSync(stage, home, { recursive: true, filter: (file) => !file.endsWith('.tgz') });
  copyPackages(home);
  copyDocuments(root, home);
  writeFormalities(root, version);
  await openToAll(root);
  chmodSync(path.join(home, 'scripts/installed.mjs'), 0o755);
  write(path.join(root, 'usr/bin/matriarch'), launcher(), 0o755);
  write(path.join(root, 'lib/systemd/system/matriarch.service'), debian('matriarch.service'));
  write(path.join(root, 'etc/matriarch/matriarch.yaml'), debian('matriarch.yaml'), 0o640);
  write(path.join(root, 'DEBIAN/control'), control(version));
  write(path.join(root, 'DEBIAN/conffiles'), '/etc/matriarch/matriarch.yaml\n');
  for (const name of ['postinst', 'prerm', 'postrm'])
    write(path.join(root, `DEBIAN/${name}`), debian(name), 0o755);
  const file = `matriarch_${version}_${ARCHITECTURES[platform]}.deb`;
  process.env.SOURCE_DATE_EPOCH = commitSeconds();
  const args = ['--root-owner-group', '-Zxz', '-z1', '--build', root, path.join(out, file)];
  const { code, output } = await run('dpkg-deb', args, { capture: true });
  if (code !== 0) fail(`dpkg-deb failed:\n${output.trim()}`);
  return file;
}
