// argv → settings → command; nothing else. `start` runs here because it is the only command that builds the app. What was
// compiled is kept beside the packages, which halves the time that a command takes to begin; where that directory cannot
// be written, everything is compiled anew.
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.join(import.meta.dirname, '../../node_modules/.cache/matriarch'));
const { runMain } = await import('./main-commands.ts');

process.exitCode = await runMain(process.argv.slice(2));
