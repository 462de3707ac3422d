// Makes the font in which the interface is written: of Inter only the characters, weights and features that it uses, half of what a
// first visit would load otherwise. What names and texts of servers have beyond them comes from the whole files, when it is shown.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const WHOLE = fileURLToPath(
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
);
/** Where base.css and index.html take it from. */
const MADE = new URL('../node_modules/.cache/ui-font/', import.meta.url);

const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
/** As `unicode-range` in base.css has them. */
const CHARACTERS = `${ASCII}\u00a0°±µ·×\u2009\u2011–—‘’“”…\u202f↑↓−`;
/** As `font-weight` there. */
const WEIGHTS = { min: 400, max: 700 };
/**
 * Those that base.css switches on, and kerning. Contextual forms would cost 4 kB, and make an arrow of the `->` that stands in a statement.
 */
const FEATURES = ['cv05', 'cv10', 'kern', 'ss03', 'tnum'];

export function uiFont(): Plugin {
  return {
    name: 'ui-font',
    async buildStart() {
      const made = await subsetFont(await readFile(WHOLE), CHARACTERS, {
        targetFormat: 'woff2',
        variationAxes: { wght: WEIGHTS },
        keepFeatures: FEATURES,
      });
      await mkdir(MADE, { recursive: true });
      await writeFile(new URL('inter-ui.woff2', MADE), made);
    },
  };
}
