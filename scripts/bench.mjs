// npm run bench -- <name>: runs server/src/bench/<name>.bench.ts; without a name lists those there are.
import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, fail, requireNode } from './lib/paths.mjs';

const ENDING = '.bench.ts';
const directory = at('server', 'src', 'bench');

function names() {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));
}

requireNode();
const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  console.log(['Benches (npm run bench -- <name>):', ...names().map((known) => `  ${known}`)].join('\n'));
} else if (!names().includes(name)) {
  fail(`There is no bench "${name}"; there are: ${names().join(', ') || 'none'}.`);
} else {
  await ensureInstalled({ dev: true });
  handOver([`${directory}/${name}${ENDING}`, ...args]);
}
