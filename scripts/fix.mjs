// npm run fix: writes generated files anew, formats, sorts imports and mends what the linter can mend by itself.
import process from 'node:process';
import { ensureInstalled } from './lib/install.mjs';
import { at, installedRuntime, requireNode } from './lib/paths.mjs';
import { leaveOnSignals, run } from './lib/run.mjs';

requireNode();
leaveOnSignals();
await ensureInstalled({ dev: true });
const gen = await run(installedRuntime(), [at('server/src/cli/gen.ts')], { cwd: at() });
const biome = await run(installedRuntime(), [at('node_modules', '.bin', 'biome'), 'check', '--write'], {
  cwd: at(),
});
process.exitCode = gen.code || biome.code;
