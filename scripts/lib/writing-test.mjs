// Tests that write generated files anew when a variable of the environment says so, as functions.mjs and knowledge.mjs ask.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { handOver } from './hand-over.mjs';
import { ensureInstalled } from './install.mjs';
import { at, requireNode } from './paths.mjs';

/** Runs the test of the folder that reads `variable`, in the tier that has all versions of PostgreSQL for it. */
export async function runWriting(folder, variable) {
  requireNode();
  await ensureInstalled({ dev: true });
  process.chdir(at());
  process.env[variable] = '1';
  const isIt = (name) =>
    name.endsWith('.test.ts') && readFileSync(at(folder, name), 'utf8').includes(variable);
  const name = readdirSync(at(folder)).find(isIt);
  if (name === undefined) throw new Error(`No test in ${folder} reads ${variable}.`);
  const project = /\.(?:proof|kit)\.test\.ts$/.test(name) ? 'proof' : 'db';
  const vitest = at('node_modules', 'vitest', 'vitest.mjs');
  handOver([vitest, 'run', `--project=${project}`, path.posix.join(folder, name)]);
}
