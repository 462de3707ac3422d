// Hands over to a program of ours under the pinned runtime: same terminal, signals passed on, same exit code. The IPC
// channel is the lifeline: when we die, even by kill -9, it closes and the child stops (kernel/stop-signals.ts).
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';
import { RUNTIME_FLAGS, withMemory } from './memory.mjs';
import { installedRuntime } from './paths.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_LOOK_MS = 250;

/** npm that was killed cannot tell us; we see that we have another parent. */
function watchNpm(child) {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) child.kill('SIGTERM');
  }, PARENT_LOOK_MS).unref();
}

/** Runs a program of ours; ends this process as that one ends. Repeated signals are the child's to judge. */
export function handOver(args, runtime = installedRuntime()) {
  const child = spawn(runtime, [...RUNTIME_FLAGS, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: withMemory(process.env),
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  watchNpm(child);
  child.once('error', (error) => {
    process.stderr.write(`The runtime could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}
