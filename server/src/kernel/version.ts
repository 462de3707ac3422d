// The program's own version, and the commit that it was made of, from the one place that states each.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HOME = new URL('../../../', import.meta.url);

function textIn(file: URL, name: string): string | undefined {
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const found = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}

export const VERSION = textIn(new URL('server/package.json', HOME), 'version') ?? '';

function commitOfCheckout(): string | undefined {
  // Above an installed package there may be the checkout of something else.
  if (!existsSync(new URL('.git', HOME))) return undefined;
  try {
    const output = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: fileURLToPath(HOME),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.trim();
  } catch {
    return undefined;
  }
}

/** As `npm run package` wrote it, else that of the checkout; undefined where neither is known. */
export function commit(): string | undefined {
  const found = textIn(new URL('package.json', HOME), 'gitHead') ?? commitOfCheckout();
  return found?.slice(0, 12);
}

/** `1.0.0 (commit 0123456789ab)`. */
export function versionLine(): string {
  const known = commit();
  return known === undefined ? VERSION : `${VERSION} (commit ${known})`;
}
