import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ensureBuilt, filesBelow } from './built.mjs';

const home = mkdtempSync(path.join(tmpdir(), 'matriarch-built-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const at = (...names) => path.join(home, ...names);
const built = () => readFileSync(at('dist', 'count'), 'utf8');
const append = `require('node:fs').appendFileSync(${JSON.stringify(at('dist', 'count'))}, 'x')`;
const ensure = (script = append) =>
  ensureBuilt({
    name: 'a test',
    stamp: at('dist', '.stamp'),
    inputs: filesBelow(home, (name) => name.endsWith('.in')),
    args: ['-e', script],
    cwd: home,
    saying: (output) => output,
  });

it('builds once for each state of the sources, and again after a build that failed', async () => {
  writeFileSync(at('one.in'), '1');
  await ensure();
  await ensure();
  expect(built()).toBe('x');

  writeFileSync(at('two.in'), '2');
  await ensure();
  expect(built()).toBe('xx');

  writeFileSync(at('two.in'), 'three');
  await expect(ensure('console.log("no such thing"); process.exit(1)')).rejects.toThrow(
    'Building a test failed:\nno such thing',
  );
  await ensure();
  await ensure();
  expect(built()).toBe('xxx');
});

it('says by the code of the error that it cannot be written there', async () => {
  writeFileSync(at('three.in'), '3');
  writeFileSync(at('file'), '');
  const there = { name: 'a test', stamp: at('file', '.stamp'), inputs: [at('three.in')], cwd: home };
  await expect(ensureBuilt({ ...there, args: ['-e', ''], saying: String })).rejects.toMatchObject({
    code: 'EEXIST',
  });
});
