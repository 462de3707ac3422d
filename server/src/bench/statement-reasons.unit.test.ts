// The page of statements says of each why it is needed and where it stands, and no reason is for a statement that is gone.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { REASONED } from './statement-reasons.ts';

const root = path.resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const page = readFileSync(path.join(root, 'docs/reference/statements.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('says of each statement why it is sent', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(([, , , , why]) => (why ?? '').length < 10).map(([, name]) => name)).toEqual([]);
});

it('names files that are there', () => {
  const files = rows.flatMap((cells) => /`(.+)`/.exec(cells[5] ?? '')?.[1] ?? []);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

it('gives no reason for a statement that nobody sends', () => {
  const sources = globSync('server/src/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.ts$|\/bench\//.test(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');
  expect(REASONED.filter((name) => !new RegExp(`${name}\\b`).test(sources))).toEqual([]);
});
