// npm run eval: makes incidents on a real server and holds the answer to "What is wrong?" against the known cause of each. Takes
// minutes. Arguments go to vitest, so one incident is played alone: npm run eval -- -t convoy
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
  '--project=eval',
  '--reporter=verbose',
  ...process.argv.slice(2),
]);
