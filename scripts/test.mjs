// npm test: everything (unit, database, browser; faults in their short form) on a machine that has nothing but Node.
// The last line says how it went: "N passed, N failed". Arguments go to vitest: npm test -- server/src/areas/auth
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureInstalled } from './lib/install.mjs';
import { at, installedRuntime, requireNode } from './lib/paths.mjs';
import { leaveOnSignals, run } from './lib/run.mjs';
import { builtProgram } from './lib/server-build.mjs';
import { totals } from './lib/totals.mjs';
import { ensureWebBuilt } from './lib/web-build.mjs';

async function runTests(report) {
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project=!faults', '--project=!eval'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run(installedRuntime(), [...vitest, ...reporters, ...process.argv.slice(2)], {
    cwd: at(),
  });
  try {
    return { code, report: JSON.parse(readFileSync(report, 'utf8')) };
  } catch {
    return { code, report: null };
  }
}

requireNode();
leaveOnSignals();
await ensureInstalled({ dev: true });
await ensureWebBuilt();
await builtProgram();
const directory = mkdtempSync(path.join(tmpdir(), 'matriarch-report-'));
const outcome = await runTests(path.join(directory, 'report.json'));
rmSync(directory, { recursive: true, force: true });
const { line, ok } = totals(outcome);
process.stdout.write(`${line}\n`);
process.exitCode = ok ? 0 : outcome.code || 1;
