// npm run dev: the server, restarted when its files change, and the pages with hot reloading beside it.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { ensureInstalled } from './lib/install.mjs';
import { at, installedRuntime, requireNode } from './lib/paths.mjs';

requireNode();
await ensureInstalled({ dev: true });

const runtime = installedRuntime();
const server = [
  '--watch',
  '--watch-preserve-output',
  at('server', 'src', 'main.mjs'),
  'start',
  ...process.argv.slice(2),
];
const pages = [at('node_modules', 'vite', 'bin', 'vite.js'), '--clearScreen', 'false'];
const children = [
  spawn(runtime, server, { cwd: at(), stdio: 'inherit' }),
  spawn(runtime, pages, { cwd: at('web'), stdio: 'inherit' }),
];

let stopping = false;
function stop(code) {
  if (stopping) return;
  stopping = true;
  process.exitCode = code;
  for (const child of children) child.kill('SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));
for (const child of children) child.once('exit', (code) => stop(code ?? 0));
