// Puts the command line together: the commands of cli/ and `start`, with the terminal, the settings and a datastore
// that is opened at first use and closed at the end.

import { commandNamed, reportFailure, runCli } from '../cli/cli.ts';
import type { CliIo, Command } from '../cli/command.ts';
import { settings } from '../cli/settings.ts';
import { secretReader } from '../cli/terminal.ts';
import { locateDatastore } from '../datastore/locate.ts';
import { prepareDatastore } from '../datastore/prepare.ts';
import { systemClock } from '../kernel/clock.ts';
import { commandLine } from '../kernel/command-line.ts';
import { type Config, loadConfig, serviceVariables, splitFlags } from '../kernel/config.ts';
import { Database } from '../kernel/db.ts';
import { inertOutput } from '../kernel/inert-text.ts';
import { Lifecycle } from '../kernel/lifecycle.ts';
import { createLog, silentLog } from '../kernel/log.ts';
import { once } from '../kernel/once.ts';
import type { Secret } from '../kernel/secret.ts';
import { serviceManager } from '../kernel/service-manager.ts';

/** What a command exports goes into files as it is; a terminal never shows it so. */
const out = (line: string) => process.stdout.write(`${process.stdout.isTTY ? inertOutput(line) : line}\n`);
const err = (line: string) => process.stderr.write(`${inertOutput(line)}\n`);

/** At a terminal SIGHUP says that the terminal is gone. */
const hasTerminal = () => process.stdin.isTTY === true || process.stderr.isTTY === true;

const startCommand = (argv: readonly string[]): Command => ({
  path: ['start'],
  summary: 'Run the collector, the API and the web interface',
  details: `Settings are flags, environment variables or keys of a file: see \`${commandLine('config reference')}\`.`,
  options: [],
  async run(io) {
    // The whole program, which no other command needs.
    const [{ start }, { rereader }] = await Promise.all([import('./start.ts'), import('./reread.ts')]);
    const config = io.config();
    const manager = serviceManager(serviceVariables(), io.log);
    const read = () => loadConfig({ settings, argv });
    const reread = hasTerminal() ? undefined : rereader({ config, log: io.log, read, levelOf: serverLevel });
    return start({ config, log: io.log, clock: io.clock, out: io.out, reread, manager });
  },
});

/** Loading all commands takes 70 ms, which the server should not wait for: it has no use for the others. */
async function commandsFor(area: string | undefined, argv: readonly string[]): Promise<readonly Command[]> {
  if (area === 'start' || area === '--version') return [startCommand(argv)];
  const [{ checkupCommand }, { readServerOnce }, { commands }] = await Promise.all([
    import('../cli/checkup/command.ts'),
    import('../collector/read-once.ts'),
    import('../cli/commands/catalog.gen.ts'),
  ]);
  return [startCommand(argv), checkupCommand(readServerOnce), ...commands];
}

interface Opened {
  url: Secret;
  applied: string[];
}

async function openDatastore(io: CliIo, lifecycle: Lifecycle, mayCreate: boolean): Promise<Opened> {
  const { datastore_url, data_dir } = io.config();
  const located = await locateDatastore({
    datastoreUrl: datastore_url,
    dataDir: data_dir,
    mayCreate,
    log: io.log,
    progress: io.err,
  });
  lifecycle.add({ name: 'datastore', stop: located.stop });
  const applied = await prepareDatastore(located.url, { log: io.log, mayBePooled: false });
  return { url: located.url, applied };
}

/** At a terminal the person reads sentences and no JSON lines, unless they asked for those. */
function serverLevel({ log_level, log_requests, resolved }: Config): string {
  const isDefault = resolved.some(
    ({ setting, source }) => setting.key === 'log_level' && source === 'default',
  );
  return isDefault && !log_requests && process.stderr.isTTY ? 'warn' : log_level;
}

/** Text for a person who sees it, JSON for a program that reads it. */
function formatOf({ log_format }: Pick<Config, 'log_format'>): 'text' | 'json' {
  if (log_format !== 'auto') return log_format;
  return process.stderr.isTTY ? 'text' : 'json';
}

/** The command without settings. `matriarch` alone, or with settings alone, starts the server. */
function commandIn(argv: readonly string[]): string[] {
  const { rest } = splitFlags(argv, settings);
  return rest.length === 0 ? ['start'] : rest;
}

function makeIo(argv: readonly string[], lifecycle: Lifecycle, mayCreate: boolean): CliIo {
  const [area] = commandIn(argv);
  const isServer = area === 'start';
  const config = once(() => loadConfig({ settings, argv }));
  const log = once(() =>
    createLog({ level: isServer ? serverLevel(config()) : 'warn', format: formatOf(config()) }),
  );
  const opened = once(() => openDatastore(io, lifecycle, mayCreate));
  const database = once(async () => {
    const { url } = await opened();
    const db = lifecycle.add(new Database({ url, log: log(), applicationName: 'matriarch command', max: 2 }));
    if (area === 'store' || area === 'doctor') {
      const { openEngine } = await import('../store/layout/engine/open.ts');
      await openEngine(db, config().store);
    }
    return db;
  });
  const io: CliIo = {
    out,
    err,
    interactive: process.stdin.isTTY === true,
    width: process.stdout.columns,
    isColoured: process.stdout.isTTY === true && process.stdout.hasColors(),
    readSecret: secretReader(process.stdin, (text) => process.stderr.write(text)),
    clock: systemClock,
    get log() {
      return log();
    },
    config,
    db: database,
    migrate: async () => (await opened()).applied,
  };
  return io;
}

/** The program that reads our output may have seen enough, as `| head` does. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** Runs one command line; answers the exit code. */
export async function runMain(argv: readonly string[]): Promise<number> {
  const lifecycle = new Lifecycle(silentLog);
  process.stdout.on('error', endQuietly);
  try {
    const command = commandIn(argv);
    const available = await commandsFor(command[0], argv);
    const mayCreate = commandNamed(available, command)?.makesDatastore === true;
    return await runCli(makeIo(argv, lifecycle, mayCreate), command, available);
  } catch (error) {
    const isCheckup = argv[0] === 'checkup';
    return reportFailure({ err, log: silentLog }, error, isCheckup ? { usageStatus: 64 } : undefined);
  } finally {
    await lifecycle.stop();
  }
}
