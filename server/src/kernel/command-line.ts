// How a person calls a command of ours: `matriarch` where a package is installed, by npm in a checkout. A remedy that is shown has to
// work where it is read.
import { existsSync } from 'node:fs';

/** A package has no sources. */
const isCheckout = existsSync(new URL('../main.mjs', import.meta.url));

export const commandLine = (command: string): string =>
  isCheckout ? `npm run -s matriarch -- ${command}` : `matriarch ${command}`;
