// matriarch checkup: a verdict on any server, without a datastore and without setup. Guards: nothing is written but the file that was
// asked for; the password comes from the URL, a prompt or a pipe and is printed nowhere.
import { writeFile } from 'node:fs/promises';
import { checks } from '../../insight/checks/catalog.gen.ts';
import { Facts } from '../../insight/checks/facts.ts';
import { judgeAll } from '../../insight/checks/judge.ts';
import { type Report, reportOf } from '../../insight/checks/report.ts';
import type { ReadServer } from '../../insight/checks/server-read.ts';
import { libpqVariables } from '../../kernel/config.ts';
import { errorCode, UsageError } from '../../kernel/errors.ts';
import { inertBlock, inertJson } from '../../kernel/inert-text.ts';
import { VERSION } from '../../kernel/version.ts';
import type { UrlSettings } from '../../monitored/connection-url.ts';
import { readNamedServer } from '../../monitored/libpq-environment.ts';
import { TargetError } from '../../monitored/target-error.ts';
import type { CliIo, Command, CommandArgs } from '../command.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';
import { pageOf } from './page.ts';

const USUAL_SECONDS = 10;
const MOST_SECONDS = 600;
const WIDEST = 110;

/** For scripts. */
const EXIT = { well: 0, critical: 1, blind: 2, warning: 3, usage: 64 } as const;

function secondsOf(args: CommandArgs): number {
  const text = args.text('seconds');
  if (text === undefined) return USUAL_SECONDS;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= MOST_SECONDS) return seconds;
  throw new UsageError(`--seconds must be a whole number from 1 to ${MOST_SECONDS}.`);
}

async function settingsOf(io: CliIo, args: CommandArgs): Promise<UrlSettings> {
  const { settings, warnings } = await readNamedServer(args.argument('url'), libpqVariables());
  for (const warning of warnings) io.err(inertBlock(warning));
  if (settings.password !== undefined || !io.interactive) return settings;
  const password = await io.readSecret(`Password of ${settings.username} (empty: none): `);
  return password.reveal() === '' ? settings : { ...settings, password };
}

async function look(io: CliIo, read: ReadServer, args: CommandArgs): Promise<Report> {
  const settings = await settingsOf(io, args);
  const { signal } = new AbortController();
  const progress = io.interactive ? (line: string) => io.err(line) : () => undefined;
  const server = await read(settings, { seconds: secondsOf(args), signal, progress });
  const facts = new Facts(server.known);
  const onFailed = ({ name: check }: { name: string }, err: unknown) =>
    io.log.error({ event: 'checkup.check_failed', check, err });
  const verdicts = judgeAll(checks, { facts, troubles: server.troubles, onFailed });
  return reportOf(server, verdicts, { product: 'Matriarch', version: VERSION, is_standby: facts.isStandby });
}

async function print(io: CliIo, report: Report, args: CommandArgs): Promise<void> {
  const file = args.text('html');
  if (file !== undefined) {
    await writeFile(file, htmlOf(report), { flag: 'wx' }).catch((cause: unknown) => {
      const isThere = errorCode(cause) === 'EEXIST';
      throw new UsageError(
        isThere ? `${file} is there already; name another file.` : `${file} cannot be written.`,
      );
    });
    io.err(`Written to ${file}.`);
  }
  if (args.flag('json')) io.out(inertJson(JSON.stringify(report, null, 2)));
  else if (args.flag('markdown')) io.out(markdownOf(report));
  else if (file === undefined) {
    const width = Math.min(WIDEST, io.width ?? 80);
    for (const line of pageOf(report, { width, isColoured: io.isColoured ?? false })) io.out(line);
  }
}

function exitCode({ worst }: Report): number {
  return worst === 'critical' ? EXIT.critical : worst === 'warning' ? EXIT.warning : EXIT.well;
}

export const checkupCommand = (read: ReadServer): Command => ({
  path: ['checkup'],
  summary: 'Give a server a verdict, without a datastore and without setup',
  details: [
    'Reads what PostgreSQL has already counted, watches for some seconds, and says what to change, with the statement.',
    'Nothing is written anywhere. A role without pg_monitor gets what it can read, and the list of what it cannot.',
    'Exit status: 0 nothing above a note, 3 warnings, 1 something critical, 2 the server could not be read, 64 the command was not understood.',
    'PGPASSWORD, PGHOST and the like, PGPASSFILE and ~/.pgpass count as they do for psql.',
  ].join('\n'),
  arguments: [
    {
      name: 'url',
      description:
        'postgres://user@host:5432/database, or "host=… user=… dbname=…"; a password that is found nowhere is asked for',
    },
  ],
  options: [
    { flags: '--seconds <n>', description: 'how long to watch (10)' },
    { flags: '--json', description: 'print the verdict as JSON' },
    { flags: '--markdown', description: 'print it as Markdown' },
    {
      flags: '--html <file>',
      description: 'write it to one HTML file that needs no network and prints well',
    },
  ],
  usageStatus: EXIT.usage,
  async run(io, args) {
    if (args.flag('json') && args.flag('markdown')) throw new UsageError('Choose --json or --markdown.');
    try {
      const report = await look(io, read, args);
      await print(io, report, args);
      return exitCode(report);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      io.err(inertBlock(error.message));
      return EXIT.blind;
    }
  },
});
