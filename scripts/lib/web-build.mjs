// Builds the pages when anything they are made of changed: web/, what they import of the server, and the packages.
import { existsSync } from 'node:fs';
import { ensureBuilt, filesBelow } from './built.mjs';
import { at, fail } from './paths.mjs';

/** Contracts, and what both sides run. */
const SHARED =
  /\.contract\.ts$|^(?:schema|contract|errors|inert-text|ssl-mode|connection-forms|connection-words)\.ts$/;

export async function ensureWebBuilt() {
  const vite = at('node_modules', 'vite', 'bin', 'vite.js');
  if (!existsSync(at('web', 'vite.config.ts')) || !existsSync(vite)) return;
  const building = ensureBuilt({
    name: 'the pages',
    stamp: at('web', 'dist', '.matriarch-build'),
    inputs: [
      ...filesBelow(at('web'), (name) => !/\.test\.tsx?$/.test(name)),
      ...filesBelow(at('server', 'src'), (name) => SHARED.test(name)),
    ],
    args: [vite, 'build'],
    cwd: at('web'),
    saying: () => '',
  });
  await building.catch((error) => fail(error.message));
}
