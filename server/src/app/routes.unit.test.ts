// Each constraint that a room has a sentence for is one of the schema's, is declared once and reaches the API.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { allConstraints } from './routes.ts';

const SOURCE = path.resolve(import.meta.dirname, '..');

it('says a sentence for constraints that exist, and says each once', () => {
  const schema = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8');
  const declared = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.constraints.ts'))
    .flatMap((file) => readFileSync(path.join(SOURCE, file), 'utf8').match(/^ {2}\w+(?=: \[)/gm) ?? [])
    .map((name) => name.trim());
  expect(declared.length).toBeGreaterThan(0);
  expect(declared.toSorted()).toEqual(Object.keys(allConstraints).sort());
  expect(declared.filter((name) => !new RegExp(`\\b${name}\\b`).test(schema))).toEqual([]);
});
