// npm run bench -- <name>: runs server/src/bench/<name>.bench.ts, or that of e2e/bench where a browser is needed; without a
// name lists those there are.
import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, fail, requireNode } from './lib/paths.mjs';
import { ensureWebBuilt } from './lib/web-build.mjs';

const ENDING = '.bench.ts';
const directories = [at('server', 'src', 'bench'), at('e2e', 'bench')];

/** The files by the names of the benches. */
const files = new Map(
  directories
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((file) => [directory, file]))
    .filter(([, file]) => file.endsWith(ENDING))
    .map(([directory, file]) => [file.slice(0, -ENDING.length), `${directory}/${file}`]),
);
const names = [...files.keys()].sort();

requireNode();
const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  console.log(['Benches (npm run bench -- <name>):', ...names.map((known) => `  ${known}`)].join('\n'));
} else if (!files.has(name)) {
  fail(`There is no bench "${name}"; there are: ${names.join(', ') || 'none'}.`);
} else {
  await ensureInstalled({ dev: true });
  await ensureWebBuilt();
  handOver([files.get(name), ...args]);
}
