import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { installedRuntime } from './paths.mjs';
import { builtProgram } from './server-build.mjs';

const program = await builtProgram(process.stderr);
const folder = path.dirname(program);
const textOf = (name) => readFileSync(path.join(folder, name), 'utf8');

/** What a file loads as soon as it is loaded itself. */
const loadedBy = (name) =>
  [...textOf(name).matchAll(/^(?:import|export) [^;]*?"\.\/([^"]+)";$/gm)].map(([, file]) => file);

it('makes few files, whose names a browser of stack traces can read', () => {
  expect(path.basename(folder)).toBe('dist');
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThan(100);
});

it('is run, and a command that prints loads little of it', async () => {
  const { stdout } = await promisify(execFile)(installedRuntime(), [program, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+(?: \(commit [0-9a-f]{12}\))?\n$/);
  const [main] = readdirSync(folder).filter((name) => /^main-[\w-]+\.mjs$/.test(name));
  const loaded = new Set([main]);
  for (const name of loaded) for (const file of loadedBy(name)) loaded.add(file);
  expect(loaded.size).toBeGreaterThan(1);
  const bytes = [...loaded].reduce((sum, name) => sum + textOf(name).length, 0);
  expect(bytes).toBeLessThan(1_000_000);
});
