// npm run audit: asks the registry for advisories of what is shipped (the packages of the SBOM), and fails on high and critical ones that
// scripts/audit-allowed.json does not allow. Where the registry cannot be asked it says that nothing was checked, and ends well;
// `-- --required` makes that a failure, for releases. No other command asks the network for this.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { judgeAudit } from './lib/audit.mjs';
import { npm } from './lib/install.mjs';
import { writeJson } from './lib/package-tarball.mjs';
import { at, requireNode } from './lib/paths.mjs';
import { shippedLock, shippedManifest } from './lib/shipped.mjs';

const PATIENCE_MS = 60_000;

/** What npm says; its exit code tells only whether it found something. */
function askNpm(cwd) {
  const [command, first] = npm();
  const args = [...first, 'audit', '--json', '--package-lock-only', '--fetch-retries=0'];
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: PATIENCE_MS, maxBuffer: 64_000_000 }, (_error, stdout) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        resolve({ message: 'npm printed no report' });
      }
    });
  });
}

async function report() {
  const folder = mkdtempSync(path.join(tmpdir(), 'matriarch-audit-'));
  try {
    writeJson(path.join(folder, 'package.json'), shippedManifest());
    writeJson(path.join(folder, 'package-lock.json'), shippedLock());
    return await askNpm(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

requireNode();
const { values } = parseArgs({
  options: {
    required: { type: 'boolean', default: false },
    allowed: { type: 'string', default: at('scripts', 'audit-allowed.json') },
  },
});
const said = await report();
const today = new Date().toISOString().slice(0, 10);
const verdict = judgeAudit(said, { allowed: JSON.parse(readFileSync(values.allowed, 'utf8')), today });
if (verdict === undefined) {
  const why = said.message ?? said.error?.summary ?? 'it gave no reason';
  console.log(`Skipped: the registry could not be asked for advisories (${why}). Nothing was checked.`);
  if (values.required) process.exitCode = 1;
} else {
  const { problems, allowed } = verdict;
  for (const one of allowed) console.log(`Allowed: ${one}`);
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(
    problems.length === 0
      ? 'No high or critical advisory of what is shipped.'
      : 'Update these packages, or allow an advisory with a reason and a date in scripts/audit-allowed.json.',
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
