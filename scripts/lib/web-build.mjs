// Builds the pages when anything they are made of changed: web/, the contracts they import, and the packages.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { at, fail, installedRuntime } from './paths.mjs';
import { step } from './progress.mjs';
import { run } from './run.mjs';

const STAMP = at('web', 'dist', '.matriarch-build');
const SKIPPED = new Set(['dist', 'node_modules']);
const CONTRACT = /\.contract\.ts$|^(schema|contract)\.ts$/;

function filesBelow(directory, wanted) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(file, wanted);
    return wanted(entry.name) ? [file] : [];
  });
}

function inputsHash() {
  const web = filesBelow(at('web'), (name) => !/\.test\.tsx?$/.test(name));
  const contracts = filesBelow(at('server', 'src'), (name) => CONTRACT.test(name));
  const hash = createHash('sha256');
  for (const file of [...web, ...contracts, at('package-lock.json')].sort()) {
    hash.update(path.relative(at(), file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

export async function ensureWebBuilt() {
  const vite = at('node_modules', 'vite', 'bin', 'vite.js');
  if (!existsSync(at('web', 'vite.config.ts')) || !existsSync(vite)) return;
  const hash = inputsHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8').trim() === hash) return;
  await step('Building the pages', async () => {
    rmSync(STAMP, { force: true });
    const result = await run(installedRuntime(), [vite, 'build'], { cwd: at('web'), capture: true });
    if (result.code !== 0) fail(`Building the pages failed:\n${result.output.trim()}`);
    writeFileSync(STAMP, `${hash}\n`);
    return /initial JavaScript: .*/.exec(result.output)?.[0] ?? '';
  });
}
