#!/usr/bin/env node
// The program `matriarch` of an installed package: hands over to the built program, under the runtime that came with the package.
// Without that (npm was run with --omit=optional, or the platform has none) the Node that runs this file has to be new enough.
// Guards: nothing is installed, built or written here, so the package may be in a read-only directory of another user.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { at, fail, RUNTIMES, requireNode } from './lib/paths.mjs';

/** The program uses Temporal. */
const OLDEST_OTHER_NODE = 26;

/** npm puts what a package needs into the package, or beside it. */
function ownRuntime() {
  const file = RUNTIMES[`${process.platform}-${process.arch}`];
  if (file === undefined) return undefined;
  const folders = createRequire(import.meta.url).resolve.paths(file) ?? [];
  return folders.map((folder) => path.join(folder, file)).find((program) => existsSync(program));
}

function runtime() {
  const own = ownRuntime();
  if (own !== undefined) return own;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_OTHER_NODE) return process.execPath;
  fail(
    `The Node.js runtime that belongs to Matriarch is not installed, and this is ${process.version}: install the package with optional packages (npm install --include=optional), or run it with Node.js ${OLDEST_OTHER_NODE} or newer.`,
  );
}

requireNode();
handOver([at('server', 'dist', 'main.mjs'), ...process.argv.slice(2)], runtime());
