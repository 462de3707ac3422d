// node scripts/knowledge.mjs: starts PostgreSQL 14 to 19 (MATRIARCH_TEST_POSTGRES_19) and writes anew the names and facts of the knowledge
// base (server/src/assistant/knowledge/facts).
import { runWriting } from './lib/writing-test.mjs';

await runWriting('server/src/assistant/knowledge', 'MATRIARCH_WRITE_KNOWLEDGE');
