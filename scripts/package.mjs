// npm run package: builds the program and the pages anew and makes of them, in dist/, what is published: the tarball for npm, its
// SBOM (CycloneDX) and the checksums of both. `-- --out <dir>` puts them elsewhere. Guards: the same commit makes the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';
import { makeSbom } from './lib/package-sbom.mjs';
import { makeTarball } from './lib/package-tarball.mjs';
import { at, requireNode } from './lib/paths.mjs';
import { step } from './lib/progress.mjs';
import { leaveOnSignals } from './lib/run.mjs';

/** In the form of `sha256sum --check`. */
function writeChecksums(out, files) {
  const lines = files.map((file) => {
    const hash = createHash('sha256').update(readFileSync(path.join(out, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  writeFileSync(path.join(out, 'SHA256SUMS'), lines.join(''));
  return lines;
}

requireNode();
leaveOnSignals();
// Who asks must not decide what is built: React for a test is another one, and larger.
process.env.NODE_ENV = 'production';
const { values } = parseArgs({ options: { out: { type: 'string', default: at('dist') } } });
const out = path.resolve(values.out);
await ensureInstalled({ dev: false });
mkdirSync(out, { recursive: true });
const stage = mkdtempSync(path.join(tmpdir(), 'matriarch-package-'));
try {
  const tarball = await step('Making the package', () => makeTarball(stage, out));
  const sbom = await step('Listing what is in it', () => makeSbom(stage, out));
  process.stdout.write(writeChecksums(out, [tarball, sbom]).join(''));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
