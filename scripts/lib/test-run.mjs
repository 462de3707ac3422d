// A run of vitest over some of its projects, with its last lines: the slowest files, and "N passed, N failed". A few files that failed
// are run once more, alone: on a machine that is busy with a thousand others, a test may lose a race that says nothing of the product.
// What passed only then is named, so that the race is found and mended.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureInstalled } from './install.mjs';
import { at, installedRuntime, requireNode } from './paths.mjs';
import { leaveOnSignals, run } from './run.mjs';
import { builtProgram } from './server-build.mjs';
import { filesToRunAgain, slowest, totals } from './totals.mjs';
import { ensureWebBuilt } from './web-build.mjs';

async function runVitest(args) {
  const directory = mkdtempSync(path.join(tmpdir(), 'matriarch-report-'));
  const report = path.join(directory, 'report.json');
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run(installedRuntime(), [...vitest, ...reporters], { cwd: at() });
  try {
    return { code, report: JSON.parse(readFileSync(report, 'utf8')) };
  } catch {
    return { code, report: null };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the tests of these projects; what the command was given goes to vitest as well. Sets the exit code. */
export async function runTests(projects) {
  requireNode();
  leaveOnSignals();
  await ensureInstalled({ dev: true });
  await ensureWebBuilt();
  await builtProgram();
  const chosen = projects.map((name) => `--project=${name}`);
  const outcome = await runVitest([...chosen, ...process.argv.slice(2)]);
  const again = filesToRunAgain(outcome).map((file) => path.relative(at(), file));
  if (again.length > 0) process.stdout.write(`\nOnce more, alone: ${again.join(', ')}\n`);
  const alone = again.length > 0 ? await runVitest([...chosen, '--maxWorkers=1', ...again]) : undefined;
  const { line, unsteady, ok } = totals(outcome, alone);
  for (const one of slowest(outcome.report, at())) process.stdout.write(`${one}\n`);
  for (const one of unsteady) process.stdout.write(`Failed at first, passed alone: ${one}\n`);
  process.stdout.write(`${line}\n`);
  process.exitCode = ok ? 0 : outcome.code || 1;
}
