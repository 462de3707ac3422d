// The real product as a stranger starts it: `matriarch start` on a fresh data directory, with its own embedded
// PostgreSQL, read through what it prints.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

const SCRIPT = new URL('../../scripts/lib/server-build.mjs', import.meta.url).href;
const START_MS = 60_000;
const STOP_MS = 15_000;

export interface Product {
  /** http://127.0.0.1:port */
  url: string;
  /** The one-time link of the first start. */
  adminLink: string;
  /** Runs a command of the product on the same data, e.g. `['user', 'create', 'eve']`, with `input` typed in. */
  command(args: readonly string[], input?: string): Promise<string>;
  /** Stops the process, as Ctrl-C does. */
  down(): Promise<void>;
  /** Kills the process, which can do nothing about it. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  up(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  url: string;
  link: string | undefined;
}

// A busy machine would make reading the servers look dear, and the product would read them ever less often.
const AS_DECLARED = ['--collector-budget-percent', '100'];

/** The program as `npm start` runs it, built of the sources as they are. */
async function builtFile(): Promise<string> {
  const { builtProgram }: { builtProgram(): Promise<string> } = await import(SCRIPT);
  const file = await builtProgram();
  if (!file.endsWith(path.join('dist', 'main.mjs'))) throw new Error('the program could not be built');
  return file;
}

async function spawnProduct(args: readonly string[]): Promise<ChildProcess> {
  return spawn(process.execPath, [await builtFile(), ...args], {
    cwd: os.tmpdir(),
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: os.tmpdir() },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): { text: () => string } {
  let text = '';
  const take = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return { text: () => text };
}

function ended(child: ChildProcess): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
  child.once('exit', (code) => resolve(code));
  return promise;
}

/** Waits for the line that names the address; fails with everything printed when the process ends first. */
async function start(port: number, flags: readonly string[]): Promise<Running> {
  const child = await spawnProduct(['start', '--port', String(port), ...AS_DECLARED, ...flags]);
  const output = collect(child);
  const { promise, resolve, reject } = Promise.withResolvers<Running>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`Matriarch did not start within ${START_MS / 1000} s:\n${output.text()}`));
  }, START_MS);
  child.once('exit', (code) => reject(new Error(`Matriarch ended with ${code}:\n${output.text()}`)));
  let url: string | undefined;
  let link: string | undefined;
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      url ??= / is ready: (http\S+)/.exec(line)?.[1];
      link ??= /(http\S+\/link#\S+)/.exec(line)?.[1];
      if (url !== undefined && /Ctrl-C/.test(line)) resolve({ child, url, link });
    });
  }
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const gone = ended(child);
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

async function runCommand(args: readonly string[], input: string): Promise<string> {
  const child = await spawnProduct(args);
  const output = collect(child);
  child.stdin?.end(input);
  // Its streams are read to their end, unlike at its exit.
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`matriarch ${args.join(' ')} ended with ${code}:\n${output.text()}`);
  return output.text();
}

/** A fresh product, with further flags for `start`. Always `stop()` it, also when a test fails. */
export async function startProduct(...flags: string[]): Promise<Product> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'matriarch-e2e-'));
  // The embedded server may run as another user, who has to pass through here.
  chmodSync(home, 0o711);
  const data = path.join(home, 'data');
  let running: Running | undefined;
  try {
    running = await start(0, ['--data-dir', data, ...flags]);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
  const { url, link } = running;
  const down = async () => {
    if (running) await end(running.child);
    running = undefined;
  };
  return {
    url,
    adminLink: link ?? '',
    command: (args, input = '') => runCommand([...args, '--data-dir', data], input),
    down,
    kill: async () => {
      const gone = running && ended(running.child);
      running?.child.kill('SIGKILL');
      running = undefined;
      await gone;
    },
    up: async () => {
      running ??= await start(Number(new URL(url).port), ['--data-dir', data, ...flags]);
    },
    stop: async () => {
      await down();
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
