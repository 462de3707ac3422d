// Who runs PostgreSQL. It refuses to run as root, so a root process hands it to an unprivileged user of the
// machine; this file finds that user and says which paths the user can reach. Guards: nothing but
// mode bits and /etc/passwd is consulted, so the answer is the same in a container without any tool.
import { readFileSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../kernel/errors.ts';

export interface OsUser {
  uid: number;
  gid: number;
  name: string;
}

const CANDIDATES = ['postgres', 'nobody'];

/** Finds one user in the text of /etc/passwd. */
export function findUser(passwd: string, matches: (user: OsUser) => boolean): OsUser | undefined {
  for (const line of passwd.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (!name || !uid || !gid) continue;
    const user = { name, uid: Number(uid), gid: Number(gid) };
    if (Number.isInteger(user.uid) && Number.isInteger(user.gid) && matches(user)) return user;
  }
  return undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user to start PostgreSQL as: null means "as ourselves", which is right for everybody but root. */
export function serverUser(): OsUser | null {
  if (!isRoot()) return null;
  const passwd = readPasswd();
  for (const name of CANDIDATES) {
    const user = findUser(passwd, (candidate) => candidate.name === name && candidate.uid !== 0);
    if (user) return user;
  }
  throw new UsageError(
    'PostgreSQL does not run as root and this machine has neither a user "postgres" nor "nobody": create one of them, or start Matriarch as an ordinary user.',
  );
}

/** The user who owns an existing cluster: PostgreSQL starts as nobody else. */
export function ownerOf(directory: string): OsUser | null {
  if (!isRoot()) return null;
  const { uid, gid } = statSync(directory);
  if (uid === 0) return serverUser();
  return findUser(readPasswd(), (user) => user.uid === uid) ?? { uid, gid, name: `uid ${uid}` };
}

const READ = 4;
const EXECUTE = 1;

function allows(stats: Stats, user: OsUser, bits: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

/** Whether the user may pass through every directory above `target`. */
export function canReach(target: string, user: OsUser): boolean {
  for (let directory = path.dirname(target); ; directory = path.dirname(directory)) {
    if (!allows(statSync(directory), user, EXECUTE)) return false;
    if (directory === path.dirname(directory)) return true;
  }
}

/** Whether the user may read (and, when `execute`, run or enter) the file or directory itself. */
export function canUse(target: string, user: OsUser, execute: boolean): boolean {
  return allows(statSync(target), user, execute ? READ | EXECUTE : READ);
}
