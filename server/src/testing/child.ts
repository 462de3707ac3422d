// A TypeScript file of ours run as a real process, for tests about locks, kill -9 and signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { OsUser } from '../datastore/os-user.ts';
import { asUser } from '../datastore/pg-files.ts';

const LAST_WORDS_MS = 2000;

export interface Child extends AsyncDisposable {
  process: ChildProcess;
  pid: number;
  /** Resolves with the next line of standard output; null when it has ended. */
  line(): Promise<string | null>;
  /** Everything written to standard error so far. */
  errors(): string;
  /** Exit code, or the signal's name, when what it wrote to standard error is known too. */
  ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
}

export interface ChildOptions {
  script: string;
  args?: string[];
  user?: OsUser | null;
  /** Beside the clean environment. */
  env?: Record<string, string>;
}

export interface ProgramOptions extends Omit<ChildOptions, 'script'> {
  program: string;
  cwd?: string;
}

/** Runs `script` (an absolute path) with this runtime, in a clean environment. */
export function startChild({ script, args = [], ...options }: ChildOptions): Child {
  return startProgram({ program: process.execPath, args: [script, ...args], ...options });
}

/** Runs any program likewise. */
export function startProgram({
  program,
  args = [],
  user = null,
  env = {},
  cwd = '/',
}: ProgramOptions): Child {
  const child = spawn(program, args, {
    ...asUser(user),
    cwd,
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const { promise: ended, resolve } = Promise.withResolvers<number | string>();
  child.once('error', (error) => resolve(error.message));
  // What it wrote last may arrive after its end; a process that it left behind may hold the stream open for ever.
  child.once('exit', (code, signal) => {
    const end = () => resolve(code ?? signal ?? 'unknown');
    if (child.stderr.readableEnded) return end();
    const timer = setTimeout(end, LAST_WORDS_MS);
    child.stderr.once('close', () => {
      clearTimeout(timer);
      end();
    });
  });
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    process: child,
    pid: child.pid ?? 0,
    line: async () => {
      const next = await lines.next();
      return next.done ? null : next.value;
    },
    errors: () => errors,
    ended,
    kill,
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}
