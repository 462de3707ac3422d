// How large the house is, as figures that are counted: printed beside what is to be reached, and none may grow.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { roomMap } from './testing/room-map.ts';
import { readSource } from './testing/source-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const files = readSource();
const product = files.filter(({ room, isTest }) => !isTest && room !== 'testing' && room !== 'bench');
const WINGS = ['identity', 'history', 'estate', 'alerting', 'insight', 'assistant'];
const ROOMS = [...WINGS, 'monitored', 'datastore', 'logs', 'plans', 'probes', 'store'];

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

function linesOf(folder: string): number {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const counted = names.filter(
    (name) => /\.(?:ts|tsx|css)$/.test(name) && !/\.test\.|\.scene\.|\.gen\.|^(?:testing|bench)\//.test(name),
  );
  return counted.reduce((sum, name) => sum + read(`${folder}/${name}`).split('\n').length - 1, 0);
}

/**
 * Files that a recipe has a developer write or add to: the new ones, and those that get a row, a scene or a line. A file and its scene
 * beside it are one.
 */
function filesOf(recipe: string): number {
  const text = read(`docs/recipes/add-${recipe}.md`);
  const made = [
    ...text.matchAll(/```tsx?\n\/\/ ((?:server|web)\/\S+)\n/g),
    ...text.matchAll(/lays `((?:server|web)\/\S+)`/g),
  ];
  const added = text.matchAll(
    /(?:row in `\w+`[^`]*|add a scene to\s|line to `\w+` in\s)`((?:server|web)\/[^`]+)`/g,
  );
  return new Set([...made, ...added].map(([, file = '']) => file.replace('.scene.ts', '.ts'))).size;
}

const map = roomMap(product, ROOMS);

/** What is counted, what it may be at most, and what is to be reached. */
const FIGURES: readonly (readonly [what: string, now: number, most: number, reach: number])[] = [
  ['lines of the product', linesOf('server/src') + linesOf('web/src'), 223_538, 175_000],
  ['rooms under the drivers', ROOMS.length, 12, 12],
  ['floors', map.floors, 8, 8],
  ['arrows', map.arrows.size, 35, 35],
  ['files for a new probe', filesOf('a-probe'), 1, 1],
  ['files for a new rule', filesOf('a-rule'), 1, 1],
  ['files for a new check', filesOf('a-check'), 1, 1],
  ['files for a new channel', filesOf('a-channel'), 1, 1],
  ['files for a new tool', filesOf('a-tool'), 1, 1],
  ['files for a new command', filesOf('a-command'), 1, 1],
  ['files for a new page', filesOf('a-page'), 2, 2],
];

it('is no larger than it was, in any figure', () => {
  const rows = FIGURES.map(
    ([what, now, most, reach]) => `${what}: ${now} (at most ${most}, to reach ${reach})`,
  );
  process.stdout.write(`${rows.join('\n')}\n`);
  expect(FIGURES.filter(([, now, most]) => now > most || now <= 0)).toEqual([]);
});
