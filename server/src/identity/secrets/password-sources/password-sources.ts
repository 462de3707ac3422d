// Passwords from the sources that the settings declare: fetched, kept for a short time, never stored. Guards: at most four fetches of a
// source at once, one fetch for all that wait for the same password, and a source that fails holds up no other.
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../kernel/clock.ts';
import { errorCode } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { PasswordSource } from '../../../kernel/password-source-settings.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { type PasswordDestination, refusedDestination } from './destination-rules.ts';
import { awsCredentials, rdsToken } from './rds-token.ts';
import { passwordOf, runCommand, SourceFailed } from './run-command.ts';

const AT_ONCE = 4;
/** A failure is not tried again, and a refused password not fetched again, before that. */
const PAUSE_MS = 5000;
/** Most passwords that are kept of one source. */
const MOST_KEPT = 10_000;
const MOST_FILE_BYTES = 64 * 1024;

interface Kept {
  at: number;
  isSettled: boolean;
  result: Promise<Secret>;
  hasFailed: boolean;
}

/** Lets so many in at a time, in order. */
class Gate {
  #free = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

async function readPassword(path: string): Promise<Secret> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = errorCode(error) ?? 'unknown';
    throw new SourceFailed(`its file cannot be read (${code})`);
  });
  if (Buffer.byteLength(text) > MOST_FILE_BYTES) throw new SourceFailed('its file is larger than 64 kB');
  return passwordOf(text);
}

function demandSet(password: Secret | undefined): Secret {
  if (password === undefined) throw new SourceFailed('its environment variable is not set');
  return password;
}

function argvOf(command: readonly string[], destination: PasswordDestination): readonly string[] {
  const { host, port, username, database_name } = destination;
  const values = new Map([
    ['{host}', host],
    ['{port}', String(port)],
    ['{user}', username],
    ['{database}', database_name],
  ]);
  return command.map((item) => values.get(item) ?? item);
}

/** An option instead of a value would change what the command does. */
function demandPlainValues(source: PasswordSource, destination: PasswordDestination): void {
  if (source.kind !== 'command') return;
  const argv = argvOf(source.command, destination);
  const isOption = argv.some((item, index) => item !== source.command[index] && item.startsWith('-'));
  if (isOption)
    throw new SourceFailed('a host, user or database that begins with - is not passed to a command');
}

/** What the password depends on: connections with the same key share it. */
function keyOf(source: PasswordSource, destination: PasswordDestination): string {
  if (source.kind === 'command') return JSON.stringify(argvOf(source.command, destination));
  if (source.kind !== 'aws_rds_iam') return '';
  return JSON.stringify([destination.host, destination.port, destination.username]);
}

/** Only our own words reach people. */
function failure(error: unknown): never {
  throw error instanceof SourceFailed ? error : new SourceFailed('it failed', undefined, error);
}

export interface PasswordSourcesOptions {
  sources: readonly PasswordSource[];
  clock: Clock;
  log: Log;
}

class OpenSource {
  readonly declared: PasswordSource;
  readonly #options: PasswordSourcesOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #gate = new Gate();

  constructor(declared: PasswordSource, options: PasswordSourcesOptions) {
    this.declared = declared;
    this.#options = options;
  }

  /** The password, at most refresh_seconds old. */
  fetch(destination: PasswordDestination): Promise<Secret> {
    const key = keyOf(this.declared, destination);
    const kept = this.#kept.get(key);
    return kept && this.#isFresh(kept) ? kept.result : this.#refresh(key, destination);
  }

  /** Another password than the refused one, fetched at once unless that was done just now; undefined when there is none. */
  async renew(destination: PasswordDestination, refused: Secret): Promise<Secret | undefined> {
    const key = keyOf(this.declared, destination);
    const kept = this.#kept.get(key);
    const isOld = !kept || (kept.isSettled && this.#age(kept) >= PAUSE_MS);
    const isSame = kept?.isSettled && !kept.hasFailed && (await kept.result).reveal() === refused.reveal();
    const current = isOld && (isSame ?? true) ? this.#refresh(key, destination) : kept?.result;
    const password = await current;
    return password?.reveal() === refused.reveal() ? undefined : password;
  }

  #age(kept: Kept): number {
    return this.#options.clock.monotonic() - kept.at;
  }

  #isFresh(kept: Kept): boolean {
    if (!kept.isSettled) return true;
    return this.#age(kept) < (kept.hasFailed ? PAUSE_MS : this.declared.refresh_seconds * 1000);
  }

  #refresh(key: string, destination: PasswordDestination): Promise<Secret> {
    const { clock, log } = this.#options;
    const result = this.#gate.run(() => this.#read(destination)).catch(failure);
    const kept: Kept = { at: clock.monotonic(), isSettled: false, result, hasFailed: false };
    const settled = (hasFailed: boolean) => {
      kept.at = clock.monotonic();
      kept.isSettled = true;
      kept.hasFailed = hasFailed;
    };
    result.then(
      () => settled(false),
      (error: unknown) => {
        settled(true);
        const { name: source } = this.declared;
        const said = error instanceof SourceFailed ? error.said : undefined;
        log.warn({ event: 'password_sources.failed', source, err: error, ...(said && { stderr: said }) });
      },
    );
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    this.#drop();
    return result;
  }

  #drop(): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #read(destination: PasswordDestination): Promise<Secret> {
    const { declared } = this;
    demandPlainValues(declared, destination);
    if (declared.kind === 'file') return readPassword(declared.path);
    if (declared.kind === 'environment') return demandSet(declared.password);
    if (declared.kind === 'command') {
      const { command, environment } = declared;
      return runCommand({ argv: argvOf(command, destination), environment });
    }
    const { host, port, username } = destination;
    const at = new Date(this.#options.clock.now());
    const wish = { host, port, username, region: declared.region, at };
    return rdsToken(wish, await awsCredentials(declared.credentials));
  }
}

export class PasswordSources {
  readonly #sources: ReadonlyMap<string, OpenSource>;

  constructor(options: PasswordSourcesOptions) {
    this.#sources = new Map(options.sources.map((source) => [source.name, new OpenSource(source, options)]));
  }

  get declared(): readonly PasswordSource[] {
    return [...this.#sources.values()].map(({ declared }) => declared);
  }

  find(name: string): OpenSource | undefined {
    return this.#sources.get(name);
  }

  /** Why this source is not for this destination, in words; undefined when it is. */
  refusal(name: string, destination: PasswordDestination, addresses: readonly string[]): string | undefined {
    const source = this.#sources.get(name);
    if (source) return refusedDestination(source.declared, destination, addresses);
    const names = [...this.#sources.keys()];
    const known = names.length === 0 ? 'The settings declare none.' : `Declared are: ${names.join(', ')}.`;
    return `There is no password source ${JSON.stringify(name)}. ${known}`;
  }
}
