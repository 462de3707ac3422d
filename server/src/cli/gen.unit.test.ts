import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const IMPORT = /^(?:import|export) (?:\{[^}]*\}|\* as \w+|\w+) from '(\.[^']+)';/gm;

/** Whatever is loaded with that file, before its first line runs. */
function loadedWith(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
    loadedWith(path.resolve(path.dirname(file), target), known);
  return known;
}

it('reads generated files only after it has written the catalogs, so that one run is enough', () => {
  const loaded = [...loadedWith(path.join(import.meta.dirname, 'gen.ts'))].map((file) => path.basename(file));
  expect(loaded).toEqual(expect.arrayContaining(['gen.ts', 'catalogs.ts', 'documents.ts']));
  expect(loaded.filter((file) => file.endsWith('.gen.ts'))).toEqual([]);
});
