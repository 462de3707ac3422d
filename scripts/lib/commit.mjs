// The commit that a checkout is of.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Undefined without git, or where `root` is not the root of a checkout. */
export function commitOf(root) {
  if (!existsSync(path.join(root, '.git'))) return undefined;
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
  } catch {
    return undefined;
  }
}
