// Child processes of the scripts. Ctrl-C and SIGTERM end a child first and then us, so nothing is left running.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import process from 'node:process';

const KEPT_OUTPUT = 200_000;
const SETPRIV = '/usr/bin/setpriv';
const running = new Set();
let leaving = false;

function leave(signal) {
  if (leaving) return;
  leaving = true;
  const code = 128 + constants.signals[signal];
  if (running.size === 0) process.exit(code);
  for (const child of running) child.kill(signal);
  setTimeout(() => {
    for (const child of running) child.kill('SIGKILL');
    process.exit(code);
  }, 8000).unref();
  process.on('children-gone', () => process.exit(code));
}

/** From here on a signal ends the children, then us; until the returned function is called. */
export function leaveOnSignals() {
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => leave(signal)]);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/** Where Linux has setpriv, the child gets `signal` when we die, even by kill -9. */
function tied(command, args, signal) {
  if (process.platform !== 'linux' || !existsSync(SETPRIV)) return [command, args];
  return [SETPRIV, ['--pdeathsig', signal, '--', command, ...args]];
}

/**
 * Runs a program to its end. `capture` keeps its output (both streams, the last 200 kB) instead of showing it.
 * Resolves with the exit code (128 + signal number when killed) and the output.
 */
export function run(command, args, { cwd, capture = false, deathSignal = 'TERM' } = {}) {
  return new Promise((resolve) => {
    const stdio = capture ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const began = performance.now();
    const child = spawn(...tied(command, args, deathSignal), { cwd, stdio });
    running.add(child);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-KEPT_OUTPUT);
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    const finish = (code) => {
      running.delete(child);
      if (leaving && running.size === 0) process.emit('children-gone');
      if (!leaving) resolve({ code, output, ms: performance.now() - began });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.once('close', (code, signal) => finish(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
