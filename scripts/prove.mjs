// npm run prove: all that npm test leaves out: kits on the versions between, the other callers of every operation, real seconds of real
// servers, every page in every look. Arguments go to vitest, so machines can share it: npm run prove -- --shard 1/4
import { runTests } from './lib/test-run.mjs';

await runTests(['proof', 'browser-proof']);
