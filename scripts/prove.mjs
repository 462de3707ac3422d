// npm run prove: all that npm test leaves out, in full: kits on every version, every cell of access, real seconds of real
// servers, every page in every look. Arguments go to vitest, so machines can share it: npm run prove -- --shard 1/4
import { runTests } from './lib/test-run.mjs';

await runTests(['proof', 'e2e-proof']);
