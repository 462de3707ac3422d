// What is shipped: the packages within the built program and pages, and those that are installed with it, as package-lock.json has them.
// The SBOM, the notices and the audit are all made of this.
import { lockedFor } from './locked.mjs';
import { readJson } from './package-tarball.mjs';
import { at } from './paths.mjs';

/** They build the pages and the program, and are in neither. */
const BUILDERS = new Set(['@vitejs/plugin-react', 'rolldown', 'subset-font', 'vite']);

export function shippedManifest() {
  const { name, version, license, optionalDependencies } = readJson(at('package.json'));
  const [server, web] = ['server', 'web'].map((part) => readJson(at(part, 'package.json')));
  const all = Object.entries({ ...server.dependencies, ...web.dependencies });
  const dependencies = Object.fromEntries(all.filter(([one]) => !BUILDERS.has(one)));
  return {
    ...{ name, version, license, dependencies },
    optionalDependencies: { ...server.optionalDependencies, ...optionalDependencies },
  };
}

export const shippedLock = () => lockedFor(readJson(at('package-lock.json')), shippedManifest());
