// matriarch store copy: everything that the datastore keeps into another database, of another engine too. Exit code 1
// when both sides are not the same. Guards: the URL of the target, which may hold a password, is never printed.

import { readFile } from 'node:fs/promises';
import { migrate } from '../../datastore/migrate.ts';
import { datastoreProblem } from '../../kernel/datastore-problem.ts';
import { demandDatastoreUrl } from '../../kernel/datastore-url.ts';
import { Database } from '../../kernel/db.ts';
import { UsageError } from '../../kernel/errors.ts';
import { fileProblem } from '../../kernel/file-problem.ts';
import { Secret } from '../../kernel/secret.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { type Compared, checkTarget, copyStore } from '../../store/upkeep/copy.ts';
import { type CliIo, type Command, type CommandArgs, printTable } from '../command.ts';

async function targetUrl(io: CliIo, args: CommandArgs): Promise<Secret> {
  const [given, file] = [args.text('to'), args.text('to-file')];
  if (given !== undefined && file !== undefined) throw new UsageError('Give --to or --to-file, not both.');
  const stated = io.config().store.copy_target_url;
  const url = given === undefined && file === undefined && stated ? stated : await readUrl(io, given, file);
  demandDatastoreUrl('The target', url);
  return url;
}

async function urlInFile(file: string): Promise<Secret> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`The file ${file} ${fileProblem(cause)}.`);
  });
  if (text.trim() === '')
    throw new UsageError(`The file ${file} is empty: write the URL of the target in it.`);
  return new Secret(text.trim());
}

async function readUrl(io: CliIo, given: string | undefined, file: string | undefined): Promise<Secret> {
  if (given !== undefined) return new Secret(given);
  if (file === undefined) return io.readSecret('URL of the target: ');
  return urlInFile(file);
}

const line = ({ table, day, source, target, is_same }: Compared) => [
  table,
  day ?? 'all',
  source.rows,
  target.rows,
  source.checksum,
  target.checksum,
  is_same ? 'same' : 'DIFFERENT',
];

function report(io: CliIo, compared: readonly Compared[]): number {
  printTable(
    io,
    ['TABLE', 'DAY', 'ROWS HERE', 'ROWS THERE', 'CHECKSUM HERE', 'CHECKSUM THERE', 'RESULT'],
    compared.map(line),
  );
  const different = compared.filter(({ is_same }) => !is_same);
  for (const { table, day } of different)
    io.err(`Not the same on both sides: ${table}${day === null ? '' : `, ${day}`}.`);
  if (different.length === 0) io.err('Both sides are the same.');
  return different.length === 0 ? 0 : 1;
}

async function reach(target: Database): Promise<void> {
  try {
    await target.withClient((client) => client.query('select 1'));
  } catch (error) {
    const problem = datastoreProblem(error);
    throw problem === undefined ? error : new UsageError(`The target cannot be used: ${problem}`);
  }
}

export const command: Command = {
  path: ['store', 'copy'],
  summary: 'Copy all of the datastore into another, empty database, of another engine too',
  details: [
    'Stop Matriarch first. Metrics, accounts, connections (their passwords stay encrypted with the same master key), settings',
    'and the audit log are copied, and compared on both sides by row counts and checksums. A copy that was interrupted goes',
    'on when it is started again; a finished copy is only compared. The URL is asked for, or piped in, unless',
    'it is given here or in the setting store.copy_target_url (environment: MATRIARCH_STORE_COPY_TARGET_URL).',
  ].join(' '),
  options: [
    { flags: '--to <url>', description: 'the target; better not with a password, which others can see' },
    { flags: '--to-file <path>', description: 'read the URL of the target from a file' },
  ],
  async run(io, args) {
    const url = await targetUrl(io, args);
    const source = await io.db();
    const target = new Database({ url, log: io.log, applicationName: 'matriarch store copy', max: 3 });
    try {
      await reach(target);
      await checkTarget({ source, target });
      await migrate(url, io.log);
      await openEngine(target, { shard_count: io.config().store.shard_count });
      const onPart = (name: string, rows: number) => io.err(`Copied ${name}: ${shownCount(rows, 'row')}.`);
      return report(io, await copyStore({ source, target, onPart }));
    } finally {
      await target.stop();
    }
  },
};
