import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { installedRuntime } from './paths.mjs';
import { builtProgram } from './server-build.mjs';

const program = await builtProgram(process.stderr);
const folder = path.dirname(program);
const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
const textOf = (name) => readFileSync(path.join(folder, name), 'utf8');

it('makes files of a byte for each character, which take the runtime half as long to read', () => {
  expect(path.basename(folder)).toBe('dist');
  const wide = files.filter((name) => /[\u0100-\uffff]/.test(textOf(name)));
  expect(wide).toEqual([]);
});

it('takes from modules of the runtime what it names, and nothing of what they make when it is read', () => {
  const imports = files.flatMap(
    (name) => textOf(name).match(/^import .*"(?:node:|(?:fs|http|crypto)").*/gm) ?? [],
  );
  expect(imports).toEqual([]);
});

it('starts with little of it: the server loads the rest while its datastore works', async () => {
  const { stdout } = await promisify(execFile)(installedRuntime(), [program, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  // What the entry imports at once, directly or not.
  const loaded = new Set(['main.mjs']);
  for (const name of loaded) {
    const text = textOf(name);
    for (const [, next] of text.matchAll(/^import .*"\.\/([^"]+)";$/gm)) loaded.add(next);
    if (name === 'main.mjs')
      for (const [, next] of text.matchAll(/import\("\.\/([^"]+)"\)/g)) loaded.add(next);
  }
  const [api] = files.filter((name) => name.startsWith('app-api-'));
  const [app] = files.filter((name) => /^app-(?!api-|ground-)/.test(name));
  expect([api, app].every((name) => name !== undefined && !loaded.has(name))).toBe(true);
  const bytes = [...loaded].reduce((sum, name) => sum + textOf(name).length, 0);
  expect(bytes).toBeLessThan(1_000_000);
});
