// docs/production.md against the program: each bench that is named exists, each command and setting too, and each figure has its day.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commands } from './cli/commands/catalog.gen.ts';
import { DROPS, SHARES } from './datastore/pooler.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/production.md'), 'utf8');
const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, one = '']) => one);

it('names benches, tests and commands that exist', () => {
  const benches = all(/npm run bench -- (\w+)/g);
  expect(benches.length).toBeGreaterThan(5);
  expect(benches.filter((name) => !existsSync(path.join(ROOT, `server/src/bench/${name}.bench.ts`)))).toEqual(
    [],
  );
  const tests = all(/`(server\/src\/[\w/.-]+|[\w-]+\.proof\.test\.ts)`/g);
  expect(tests.length).toBeGreaterThan(3);
  expect(
    tests.filter((file) => ![file, `server/src/cli/${file}`].some((one) => existsSync(path.join(ROOT, one)))),
  ).toEqual([]);
  const names = ['start', ...commands.map((command) => command.path.join(' '))];
  const called = all(/(?:`|^)matriarch ([a-z][a-z-]*(?: [a-z-]+)?)/gm).map((words) =>
    words.replace(/ -.*$/, ''),
  );
  expect(called.length).toBeGreaterThan(10);
  expect(
    called.filter((words) => !names.some((name) => words === name || words.startsWith(`${name} `))),
  ).toEqual([]);
});

it('has a day for each figure of its tables of sizes', () => {
  const sizes = page.slice(page.indexOf('### Memory'), page.indexOf('### Network'));
  const rows = sizes.split('\n').filter((line) => /^\| (?!---|what )/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/\d{4}-\d\d-\d\d|the same|the list/.test(row))).toEqual([]);
});

it('says of poolers what the start says', () => {
  const table = page.slice(page.indexOf('### Poolers'), page.indexOf('## Several machines'));
  // The parameters whose loss the start notices, and the one mode that it lets through.
  expect(DROPS).toContain('ignore_startup_parameters');
  expect(table).toMatch(/^\| `ignore_startup_parameters` drops the settings \| refused \|$/m);
  expect(SHARES).toContain('(pool_mode = session)');
  expect(table.split('\n').filter((line) => line.endsWith('| works |'))).toEqual([
    expect.stringMatching(/^\| `pool_mode = session`/),
  ]);
});
