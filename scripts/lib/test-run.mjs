// A run of vitest over some of its projects, with its last lines: the slowest files, and "N passed, N failed".
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureInstalled } from './install.mjs';
import { at, installedRuntime, requireNode } from './paths.mjs';
import { leaveOnSignals, run } from './run.mjs';
import { builtProgram } from './server-build.mjs';
import { slowest, totals } from './totals.mjs';
import { ensureWebBuilt } from './web-build.mjs';

async function runVitest(args, report) {
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run(installedRuntime(), [...vitest, ...reporters], { cwd: at() });
  try {
    return { code, report: JSON.parse(readFileSync(report, 'utf8')) };
  } catch {
    return { code, report: null };
  }
}

/** Runs the tests of these projects; what the command was given goes to vitest as well. Sets the exit code. */
export async function runTests(projects) {
  requireNode();
  leaveOnSignals();
  await ensureInstalled({ dev: true });
  await ensureWebBuilt();
  await builtProgram();
  const directory = mkdtempSync(path.join(tmpdir(), 'matriarch-report-'));
  const args = [...projects.map((name) => `--project=${name}`), ...process.argv.slice(2)];
  const outcome = await runVitest(args, path.join(directory, 'report.json'));
  rmSync(directory, { recursive: true, force: true });
  const { line, ok } = totals(outcome);
  for (const one of slowest(outcome.report, at())) process.stdout.write(`${one}\n`);
  process.stdout.write(`${line}\n`);
  process.exitCode = ok ? 0 : outcome.code || 1;
}
