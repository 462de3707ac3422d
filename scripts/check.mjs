// npm run check: types, lint, format, goldens and unit tests, all at once, in seconds. Prints output only of what
// failed.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { ensureInstalled } from './lib/install.mjs';
import { at, installedRuntime, requireNode } from './lib/paths.mjs';
import { leaveOnSignals, run } from './lib/run.mjs';

const bin = (name) => at('node_modules', '.bin', name);
const cache = (...names) => at('node_modules', '.cache', ...names);

/** What did not change since the last check is not looked into again; what imports a change is. */
const types = (config) => {
  const known = cache('types', `${config.replaceAll('/', '-')}.tsbuildinfo`);
  return [bin('tsc'), '-p', config, '--incremental', '--tsBuildInfoFile', known];
};

const CHECKS = [
  { name: 'types: server', args: types('server'), needs: 'server/tsconfig.json' },
  { name: 'types: web', args: types('web'), needs: 'web/tsconfig.json' },
  {
    name: 'types: web tests',
    args: types('web/tsconfig.tests.json'),
    needs: 'web/tsconfig.tests.json',
  },
  { name: 'types: e2e', args: types('e2e'), needs: 'e2e/tsconfig.json' },
  { name: 'lint and format', args: [bin('biome'), 'check', '--error-on-warnings'], needs: 'biome.json' },
  {
    name: 'unused code',
    args: [bin('knip'), '--cache', '--cache-location', cache('knip')],
    needs: 'knip.json',
  },
  { name: 'goldens', args: [at('server/src/cli/gen.ts'), '--check'], needs: 'server/src/cli/gen.ts' },
  {
    name: 'unit tests',
    args: [bin('vitest'), 'run', '--project', 'unit', '--project', 'web'],
    needs: 'vitest.config.ts',
  },
];

async function perform({ name, args }) {
  const { code, output, ms } = await run(installedRuntime(), args, { cwd: at(), capture: true });
  const good = code === 0;
  console.log(`${good ? '✓' : '✗'} ${name} (${(ms / 1000).toFixed(1)} s)`);
  if (!good) console.log(`${output.trim().replaceAll(/^/gm, '    ')}\n`);
  return good;
}

requireNode();
leaveOnSignals();
await ensureInstalled({ dev: true });
const began = performance.now();
const results = await Promise.all(CHECKS.filter(({ needs }) => existsSync(at(needs))).map(perform));
const failed = results.filter((good) => !good).length;
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  failed === 0
    ? `All ${results.length} good in ${seconds} s.`
    : `${failed} of ${results.length} failed in ${seconds} s.`,
);
process.exitCode = failed === 0 ? 0 : 1;
