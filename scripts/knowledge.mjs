// node scripts/knowledge.mjs: starts PostgreSQL 14 to 18 and writes anew the names and facts of the knowledge base
// (server/src/knowledge/facts).
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, requireNode } from './lib/paths.mjs';

requireNode();
await ensureInstalled({ dev: true });
process.chdir(at());
process.env.MATRIARCH_WRITE_KNOWLEDGE = '1';
handOver([
  at('node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--project=proof',
  'server/src/knowledge/facts.proof.test.ts',
]);
