// npm run gen: writes goldens, catalogs and the web's operation map anew; with --check only says what would change.
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { at, requireNode } from './lib/paths.mjs';

requireNode();
handOver([at('server', 'src', 'cli', 'gen.ts'), ...process.argv.slice(2)]);
