// node scripts/functions.mjs: starts PostgreSQL 14 to 18 and writes anew which of their functions a statement that only reads may call
// (server/src/read-only-sql/functions.gen.ts).
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, requireNode } from './lib/paths.mjs';

requireNode();
await ensureInstalled({ dev: true });
process.chdir(at());
process.env.MATRIARCH_WRITE_FUNCTIONS = '1';
handOver([
  at('node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--project=proof',
  'server/src/read-only-sql/functions.kit.test.ts',
]);
