#!/usr/bin/env node
// The command line: hands over to the server's program. Installs nothing, but for a checkup, which gives a verdict from nothing.
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { requireNode } from './lib/paths.mjs';
import { leaveOnSignals } from './lib/run.mjs';
import { builtProgram } from './lib/server-build.mjs';

requireNode();
const stopLeaving = leaveOnSignals();
// What a command prints may be read by another program.
if (process.argv[2] === 'checkup') await ensureInstalled({ dev: false, out: process.stderr });
const program = await builtProgram(process.stderr);
stopLeaving();
handOver([program, ...process.argv.slice(2)]);
