import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LONGEST } from './longest-first.mjs';
import { at } from './paths.mjs';

it('every file that is begun first exists', () => {
  expect(LONGEST.filter((name) => !existsSync(at(name)))).toEqual([]);
  expect(new Set(LONGEST).size).toBe(LONGEST.length);
});
