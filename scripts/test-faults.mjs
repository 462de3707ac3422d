// npm run test:faults: the faults of the reliability table in full, with kills, hangs and outages that last. Takes
// minutes. Arguments go to vitest, so one fault runs alone: npm run test:faults -- -t F7
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, requireNode } from './lib/paths.mjs';

requireNode();
await ensureInstalled({ dev: true });
process.chdir(at());
handOver([
  at('node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--project=faults',
  '--reporter=verbose',
  ...process.argv.slice(2),
]);
