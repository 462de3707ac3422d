// npm start: see that the port is free, install what changed, build the pages and the program when they changed, hand over
// to the program.
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { fail, requireNode } from './lib/paths.mjs';
import { portProblem } from './lib/port.mjs';
import { leaveOnSignals } from './lib/run.mjs';
import { builtProgram } from './lib/server-build.mjs';
import { ensureWebBuilt } from './lib/web-build.mjs';

requireNode();
const problem = await portProblem({ args: process.argv.slice(2), env: process.env });
if (problem) fail(problem);
const stopLeaving = leaveOnSignals();
await ensureInstalled({ dev: false });
await ensureWebBuilt();
const program = await builtProgram();
stopLeaving();
handOver([program, 'start', ...process.argv.slice(2)]);
