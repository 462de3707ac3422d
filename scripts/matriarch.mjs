#!/usr/bin/env node
// The command line: hands over to the server's program. Installs nothing.
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { at, requireNode } from './lib/paths.mjs';

requireNode();
handOver([at('server', 'src', 'main.ts'), ...process.argv.slice(2)]);
