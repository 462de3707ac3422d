// npm run package:deb: builds the program and the pages anew and makes the Debian package of them, in dist/, with its checksum.
// `-- --out <dir>` puts them elsewhere. It needs dpkg-deb, and no right of root.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';
import { makeDeb } from './lib/package-deb.mjs';
import { makeTarball } from './lib/package-tarball.mjs';
import { at, requireNode } from './lib/paths.mjs';
import { step } from './lib/progress.mjs';
import { leaveOnSignals } from './lib/run.mjs';

requireNode();
leaveOnSignals();
process.env.NODE_ENV = 'production';
const { values } = parseArgs({ options: { out: { type: 'string', default: at('dist') } } });
const out = path.resolve(values.out);
await ensureInstalled({ dev: false });
mkdirSync(out, { recursive: true });
const work = mkdtempSync(path.join(tmpdir(), 'matriarch-deb-'));
try {
  const stage = path.join(work, 'stage');
  mkdirSync(stage);
  await step('Building what is in the package', () => makeTarball(stage, work));
  const file = await step('Making the Debian package', () => makeDeb(stage, out));
  const hash = createHash('sha256')
    .update(readFileSync(path.join(out, file)))
    .digest('hex');
  const line = `${hash}  ${file}\n`;
  writeFileSync(path.join(out, `${file}.sha256`), line);
  process.stdout.write(line);
} finally {
  rmSync(work, { recursive: true, force: true });
}
