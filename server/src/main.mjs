// argv → settings → command; nothing else. `start` runs here because it is the only command that builds the app. What was
// compiled is kept beside the packages, which halves the time that a command takes to begin; where that directory cannot
// be written, everything is compiled anew. This file alone is JavaScript: with everything else in that directory, the
// runtime never loads its reader of TypeScript, which takes 15 MB and 25 ms.
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import process from 'node:process';

enableCompileCache(path.join(import.meta.dirname, '../../node_modules/.cache/matriarch'));
const { setMemoryFlags } = await import('./kernel/memory-flags.ts');
setMemoryFlags();
const { runMain } = await import('./app/main-commands.ts');

process.exitCode = await runMain(process.argv.slice(2));
