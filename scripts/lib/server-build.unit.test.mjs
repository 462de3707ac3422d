import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { expect, it } from 'vitest';
import { installedRuntime } from './paths.mjs';
import { builtProgram } from './server-build.mjs';

const program = await builtProgram(process.stderr);
const folder = path.dirname(program);
const files = readdirSync(folder).filter((name) => name.endsWith('.cjs'));
const textOf = (name) => readFileSync(path.join(folder, name), 'utf8');

it('makes files of a byte for each character, which take the runtime half as long to read', () => {
  expect(path.basename(folder)).toBe('dist');
  const wide = files.filter((name) => /[\u0100-\uffff]/.test(textOf(name)));
  expect(wide).toEqual([]);
});

it('makes a script of each file, whose value is a function of what it needs', () => {
  const made = files.filter((name) => name !== 'main.cjs');
  expect(made.length).toBeGreaterThan(10);
  for (const name of made) {
    const value = new vm.Script(textOf(name), { filename: name }).runInThisContext();
    expect(value, name).toBeTypeOf('function');
    expect(value).toHaveLength(3);
  }
});

it('takes modules of the runtime as they are: to copy what they offer makes it first', () => {
  const copied = files.flatMap(
    (name) => textOf(name).match(/__toESM\((?:__require|require)\("node:.*/g) ?? [],
  );
  expect(copied).toEqual([]);
});

it('starts with little of it: the server loads the rest while its datastore works', async () => {
  const { stdout } = await promisify(execFile)(installedRuntime(), [program, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  // What the entry loads at once, directly or not.
  const loaded = new Set(textOf('main.cjs').match(/(?:flags|program)-[\w-]+\.cjs/g));
  expect(loaded.size).toBe(2);
  for (const name of loaded)
    for (const [, next] of textOf(name).matchAll(/__load\("([^"]+)"\);$/gm)) loaded.add(next);
  const [api] = files.filter((name) => name.startsWith('app-api-'));
  const [app] = files.filter((name) => /^app-(?!api-|ground-)/.test(name));
  expect([api, app].every((name) => name !== undefined && !loaded.has(name))).toBe(true);
  const bytes = [...loaded].reduce((sum, name) => sum + textOf(name).length, 0);
  expect(bytes).toBeLessThan(1_000_000);
});
