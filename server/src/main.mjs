// argv → settings → command; nothing else. What was compiled is kept beside the packages, which makes a command begin sooner; where
// that directory cannot be written, everything is compiled anew.
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import process from 'node:process';

enableCompileCache(path.join(import.meta.dirname, '../../node_modules/.cache/matriarch'));
const { runMain } = await import('./app/main.ts');

process.exitCode = await runMain(process.argv.slice(2));
