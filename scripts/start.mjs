// npm start: see that the port is free, install what changed, build the pages when they changed, hand over to the server.
import process from 'node:process';
import { handOver } from './lib/hand-over.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { at, fail, requireNode } from './lib/paths.mjs';
import { portProblem } from './lib/port.mjs';
import { leaveOnSignals } from './lib/run.mjs';
import { ensureWebBuilt } from './lib/web-build.mjs';

requireNode();
const problem = await portProblem({ args: process.argv.slice(2), env: process.env });
if (problem) fail(problem);
const stopLeaving = leaveOnSignals();
await ensureInstalled({ dev: false });
await ensureWebBuilt();
stopLeaving();
handOver([at('server', 'src', 'main.mjs'), 'start', ...process.argv.slice(2)]);
