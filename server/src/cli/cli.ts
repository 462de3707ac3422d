// The command line: every command of the list, put together with commander. Mistakes of the person are printed as
// one sentence with exit code 1, faults of ours likewise and with their cause in the log.
import { Command as Commander, CommanderError } from 'commander';
import { Fault, UsageError } from '../kernel/errors.ts';
import { flagOf, hasFlag } from '../kernel/settings.ts';
import { didYouMean } from '../kernel/suggest.ts';
import { VERSION, versionLine } from '../kernel/version.ts';
import type { CliIo, Command, CommandArgs } from './command.ts';
import { settings } from './settings.ts';

const GROUPS: Record<string, string> = {
  user: 'People and service accounts',
  token: 'API tokens for programs',
  audit: 'Who did what',
  config: 'Settings',
  store: 'The metrics store',
  alerts: 'What is wrong on the monitored servers',
  notifications: 'What was sent to whom, and what waits to be sent',
  key: 'The key of stored passwords',
};

function readArgs(command: Command, parsed: Commander): CommandArgs {
  const options: Record<string, unknown> = parsed.opts();
  const positions = new Map(
    (command.arguments ?? []).map(({ name }, index) => [name, parsed.args[index] ?? '']),
  );
  const name = (option: string) =>
    option.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return {
    argument: (argument) => positions.get(argument) ?? '',
    list: (argument) => {
      const at = (command.arguments ?? []).findIndex((one) => one.name === argument);
      return at === -1 ? [] : parsed.args.slice(at);
    },
    text: (option) => {
      const value = options[name(option)];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (option) => options[name(option)] === true,
  };
}

interface Outcome {
  code: number;
}

function add(root: Commander, command: Command, invoke: (args: CommandArgs) => Promise<void>): void {
  const [group, ...rest] = command.path;
  let parent = root;
  if (group !== undefined && rest.length > 0) {
    const known = root.commands.find((one) => one.name() === group);
    parent = known ?? root.command(group).description(GROUPS[group] ?? '');
  }
  const own = parent.command(command.path.at(-1) ?? '').description(command.summary);
  if (command.details) own.addHelpText('after', `\n${command.details}`);
  for (const { name, description, optional, many } of command.arguments ?? []) {
    const shown = many ? `${name}...` : name;
    own.argument(optional ? `[${shown}]` : `<${shown}>`, description);
  }
  for (const { flags, description } of command.options) own.option(flags, description);
  own.action(() => invoke(readArgs(command, own)));
}

/** Of a command whose status 1 says something else: a fault of ours, as sysexits.h counts. */
const FAULT_STATUS = 70;

/** Prints what went wrong in one sentence, and answers the exit code. */
export function reportFailure(
  io: Pick<CliIo, 'err' | 'log'>,
  error: unknown,
  command?: Pick<Command, 'usageStatus'>,
): number {
  const usage = command?.usageStatus;
  // Help that was asked for is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : (usage ?? error.exitCode);
  if (error instanceof UsageError) {
    io.err(error.message);
    return usage ?? 1;
  }
  const failed = usage === undefined ? 1 : FAULT_STATUS;
  if (error instanceof Fault) {
    io.err(error.message);
    if (error.cause !== undefined) io.log.error({ event: 'cli.failed', err: error.cause });
    return failed;
  }
  io.log.error({ event: 'cli.failed', err: error });
  io.err('This did not work because of a fault inside Matriarch; the log line above says more.');
  return failed;
}

/** Which command a command line names. */
export const commandNamed = (commands: readonly Command[], argv: readonly string[]): Command | undefined =>
  commands.find(({ path }) => path.every((word, at) => argv[at] === word));

/** Settings are options of every command that commander knows nothing of. */
function suggestSetting({ err }: Pick<CliIo, 'err'>, error: unknown): void {
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownOption') return;
  const [, flag = ''] = /'(--[^'=]+)/.exec(error.message) ?? [];
  const flags = settings.filter(hasFlag).map(({ key }) => flagOf(key));
  const meant = didYouMean(flag, flags).trim();
  if (meant !== '' && !error.message.includes('Did you mean')) err(meant);
}

/** Runs one command line, without the program's name; answers the exit code. Without a list: all commands of `commands/`. */
export async function runCli(
  io: CliIo,
  argv: readonly string[],
  available?: readonly Command[],
): Promise<number> {
  const outcome: Outcome = { code: 0 };
  const lines = (write: (line: string) => void) => (text: string) => write(text.replace(/\n$/, ''));
  const root = new Commander('matriarch')
    .description('Watches a herd of PostgreSQL servers, and remembers.')
    // The commit may have to be asked of git.
    .version(argv.includes('--version') ? versionLine() : VERSION, '--version', 'print version and commit')
    .exitOverride()
    .configureOutput({ writeOut: lines(io.out), writeErr: lines(io.err) })
    .showHelpAfterError('(--help shows what there is)');
  const commands = available ?? (await import('./commands/catalog.gen.ts')).commands;
  for (const command of commands)
    add(root, command, async (args) => {
      outcome.code = await command.run(io, args);
    });
  try {
    await root.parseAsync([...argv], { from: 'user' });
    return outcome.code;
  } catch (error) {
    suggestSetting(io, error);
    return reportFailure(io, error, commandNamed(commands, argv));
  }
}
