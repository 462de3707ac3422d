// Where the embedded cluster lies. Usually <dataDir>/postgres; as root below a directory that the server's user
// cannot enter (such as /root) it lies in /var/lib/matriarch, and <dataDir>/postgres is a link to it.
// Guards: a cluster is never made beside one that exists, and nothing of a former cluster is ever deleted.
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
} from 'node:fs';
import path from 'node:path';
import { UsageError } from '../kernel/errors.ts';
import { canReach, type OsUser } from './os-user.ts';

const AWAY = '/var/lib/matriarch';

export interface ClusterDirectory {
  /** The cluster's real path. */
  directory: string;
  /** Whether initdb has been here. */
  exists: boolean;
  /** A link to make once the cluster is complete; null when it lies in the data directory. */
  link: string | null;
}

/** What a restore copies to, until it is whole. */
export const restoringIn = (directory: string) => `${directory}.restoring`;

/** An empty datastore in place of the one that was to be restored would be taken for the loss of all. */
export function refuseHalfRestored(directory: string): void {
  const half = restoringIn(directory);
  if (!existsSync(half)) return;
  throw new UsageError(
    `A restore was interrupted, and ${half} is what it left: restore once more, or delete that directory to begin with an empty datastore.`,
  );
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function refuseOtherMajor(directory: string, major: number): void {
  const found = readFileSync(path.join(directory, 'PG_VERSION'), 'utf8').trim();
  if (found === String(major)) return;
  throw new UsageError(
    `${directory} was made by PostgreSQL ${found}, and this version of Matriarch brings PostgreSQL ${major}: start the version of Matriarch that made it, or choose another directory with --data-dir. Nothing was changed.`,
  );
}

function setAside(directory: string, progress: (sentence: string) => void): void {
  if (!existsSync(directory)) return;
  let number = 1;
  while (existsSync(`${directory}.old-${number}`)) number += 1;
  renameSync(directory, `${directory}.old-${number}`);
  progress(`An earlier cluster without its data directory was kept as ${directory}.old-${number}`);
}

/** Gives a cluster that was copied by root (from a backup, say) back to the user who runs it. */
function handOver(directory: string, user: OsUser): void {
  chownSync(directory, user.uid, user.gid);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const name = path.join(directory, entry.name);
    if (entry.isDirectory()) handOver(name, user);
    else lchownSync(name, user.uid, user.gid);
  }
}

function existing(link: string, major: number): ClusterDirectory | null {
  if (isLink(link) && !existsSync(link)) {
    throw new UsageError(
      `${link} points to ${readlinkSync(link)}, which is missing: bring it back, or remove the link to begin with an empty datastore.`,
    );
  }
  if (!existsSync(link)) return null;
  const directory = realpathSync(link);
  if (!existsSync(path.join(directory, 'PG_VERSION'))) {
    throw new UsageError(
      `${directory} is not a PostgreSQL cluster: move it away, or choose another --data-dir.`,
    );
  }
  refuseOtherMajor(directory, major);
  return { directory, exists: true, link: null };
}

export interface DirectoryOptions {
  /** The data directory's real path. */
  dataDir: string;
  major: number;
  user: OsUser | null;
  progress: (sentence: string) => void;
}

/** Finds the cluster, or decides where a new one goes. */
export function chooseDirectory({ dataDir, major, user, progress }: DirectoryOptions): ClusterDirectory {
  const usual = path.join(dataDir, 'postgres');
  const found = existing(usual, major);
  if (found) {
    if (user && lstatSync(found.directory).uid === 0) handOver(found.directory, user);
    if (user && !canReach(path.join(found.directory, 'PG_VERSION'), user)) {
      throw new UsageError(
        `${found.directory} is out of reach of the user ${user.name}, who runs PostgreSQL: let others pass through the directories above it (chmod o+x), or move the data directory.`,
      );
    }
    return found;
  }
  if (user === null || canReach(usual, user)) return { directory: usual, exists: false, link: null };
  const away = path.join(AWAY, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  mkdirSync(AWAY, { recursive: true, mode: 0o755 });
  setAside(away, progress);
  progress(`PostgreSQL's user ${user.name} cannot enter ${dataDir}, so its files are kept in ${away}`);
  return { directory: away, exists: false, link: usual };
}
