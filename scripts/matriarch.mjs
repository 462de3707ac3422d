#!/usr/bin/env node
// The command line: hands over to the server's program. Installs nothing, but for a checkup, which gives a verdict from nothing.
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, requireNode } from './lib/paths.mjs';
import { leaveOnSignals } from './lib/run.mjs';

requireNode();
if (process.argv[2] === 'checkup') {
  const stopLeaving = leaveOnSignals();
  // The verdict may be JSON on stdout.
  await ensureInstalled({ dev: false, out: process.stderr });
  stopLeaving();
}
handOver([at('server', 'src', 'main.mjs'), ...process.argv.slice(2)]);
