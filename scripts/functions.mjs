// node scripts/functions.mjs: starts PostgreSQL 14 to 19 (MATRIARCH_TEST_POSTGRES_19) and writes anew which of their functions a statement that only
// reads may call (server/src/monitored/read-only-sql/functions.gen.ts).
import { runWriting } from './lib/writing-test.mjs';

await runWriting('server/src/monitored/read-only-sql', 'MATRIARCH_WRITE_FUNCTIONS');
