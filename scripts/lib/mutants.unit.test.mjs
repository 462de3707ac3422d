import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from './mutants.mjs';
import { at } from './paths.mjs';

const edits = mutants.flatMap(({ what, edits: own }) => own.map((edit) => ({ what, ...edit })));

it('every guard that mutants break is still there, once', () => {
  const lost = edits.filter(({ file, search }) => readFileSync(at(file), 'utf8').split(search).length !== 2);
  expect(lost.map(({ what, file, search }) => `${what}: ${file}: ${search}`)).toEqual([]);
});

it('every mutant changes something, and has tests that exist', () => {
  expect(edits.filter(({ search, replace }) => search === replace)).toEqual([]);
  expect(mutants.filter(({ tests }) => tests.length === 0)).toEqual([]);
  const files = new Set(mutants.flatMap(({ tests }) => tests.map(({ file }) => file)));
  expect([...files].filter((file) => !existsSync(at(file)))).toEqual([]);
  expect(new Set(mutants.map(({ what }) => what)).size).toBe(mutants.length);
});
