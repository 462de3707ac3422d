// A command that prints a password. Guards: no shell, a clean environment, 10 s, 64 kB; what it prints reaches no error, and what it
// writes to standard error reaches the log alone, cut and masked.
import { spawn } from 'node:child_process';
import { errorCode } from '../../../kernel/errors.ts';
import { cutText, spacedLine } from '../../../kernel/inert-text.ts';
import { Secret } from '../../../kernel/secret.ts';

const MOST_MS = 10_000;
const MOST_BYTES = 64 * 1024;
const MOST_SAID = 300;

const CLEAN = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };

/** A source that gave no password, in words that anybody may read. */
export class SourceFailed extends Error {
  /** For the log: masked. */
  readonly said: string | undefined;

  constructor(message: string, said?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SourceFailed';
    this.said = said;
  }
}

/** Words of standard error with what could be a key, a token or a password taken out. */
export function maskedSaid(text: string, secrets: Iterable<Secret>): string {
  let masked = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    if (value.length >= 4) masked = masked.replaceAll(value, '…');
  }
  masked = masked
    .replaceAll(/((?:password|passwd|secret|token|key)\w*["']?\s*[:=]\s*)\S+/gi, '$1…')
    .replaceAll(/(:\/\/[^\s:/@]*:)[^\s@]*@/g, '$1…@')
    .replaceAll(/(?<![\w+/=.-])(?=[\w+/=.-]*\d)(?=[\w+/=.-]*[a-z])[\w+/=.-]{16,}/gi, '…');
  return cutText(spacedLine(masked), MOST_SAID, '…');
}

/** One password: the text without the end of its last line. */
export function passwordOf(text: string): Secret {
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new SourceFailed('it is empty');
  if (/[\0\r\n]/.test(password)) throw new SourceFailed('it has more than one line');
  return new Secret(password);
}

export interface CommandRun {
  argv: readonly string[];
  environment: ReadonlyMap<string, Secret>;
  most_ms?: number;
}

function start({ argv, environment }: CommandRun) {
  const [program = '', ...args] = argv;
  const passed = [...environment].map(([name, value]) => [name, value.reveal()] as const);
  // Its own group, so that what the command has started ends with it.
  return spawn(program, args, {
    cwd: '/',
    env: { ...CLEAN, ...Object.fromEntries(passed) },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    detached: true,
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Rejects with SourceFailed. */
export function runCommand(run: CommandRun): Promise<Secret> {
  const { promise, resolve, reject } = Promise.withResolvers<Secret>();
  const { environment, most_ms = MOST_MS } = run;
  const child = start(run);
  const out: Buffer[] = [];
  let size = 0;
  let said = '';
  let why: string | undefined;
  const stop = (reason: string) => {
    why ??= reason;
    killGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => stop(`it did not end within ${most_ms / 1000} s`), most_ms);
  child.stdout.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > MOST_BYTES) stop('it printed more than 64 kB');
    else out.push(piece);
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    if (said.length < MOST_BYTES) said += piece;
  });
  child.on('error', (error) => {
    clearTimeout(timer);
    const code = errorCode(error) ?? 'unknown';
    reject(new SourceFailed(`it could not be started (${code})`));
  });
  child.on('close', (code, signal) => {
    clearTimeout(timer);
    const failure =
      why ?? (signal ? `${signal} ended it` : code === 0 ? undefined : `it ended with code ${code}`);
    try {
      if (failure !== undefined) throw new SourceFailed(failure);
      resolve(passwordOf(Buffer.concat(out).toString('utf8')));
    } catch (error) {
      const words = error instanceof Error ? error.message : 'it failed';
      reject(new SourceFailed(words, maskedSaid(said, environment.values())));
    }
  });
  return promise;
}
