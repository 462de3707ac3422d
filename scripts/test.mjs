// npm test: the everyday run (unit, components, database, and a journey through every room in a browser) on a machine that has
// nothing but Node. The last line says how it went: "N passed, N failed". Arguments go to vitest: npm test -- server/src/identity/auth
import { runTests } from './lib/test-run.mjs';

await runTests(['unit', 'web', 'db', 'browser']);
