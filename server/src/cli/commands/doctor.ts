// matriarch doctor: says what is not well and what mends it. Exit codes for scripts: 0 all is well, 1 something is
// not, 2 it could not look.

import { lookAt } from '../../estate/connections/look.service.ts';
import { tlsFoldersOf } from '../../estate/connections/tls-folders.ts';
import {
  type Examination,
  examine,
  examineConnection,
  type Finding,
  inDatabase,
  type Looking,
  namesOf,
} from '../../estate/estate/doctor.service.ts';
import type { Ctx } from '../../identity/access/principal.ts';
import { readKeyFile } from '../../identity/secrets/key-file.ts';
import { PasswordSources } from '../../identity/secrets/password-sources/password-sources.ts';
import { openVault } from '../../identity/secrets/vault.service.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault, UsageError } from '../../kernel/errors.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { type CliIo, type Command, type CommandArgs, commandCtx, printTable } from '../command.ts';
import { SCHEMA_MEND, schemaProblems } from '../schema-problems.ts';

const MARKS = { ok: '✓', advice: '·', warning: '!', failed: '✗' } as const;

async function examineKey(io: CliIo): Promise<Finding> {
  const file = io.config().secret_key_file;
  const subject = 'secret key';
  try {
    const found = await readKeyFile(file);
    return found
      ? {
          status: 'ok',
          subject,
          message: `${file} is private and holds a key. Back it up apart from the datastore.`,
          mend: null,
        }
      : {
          status: 'warning',
          subject,
          message: `${file} does not exist yet; the first start makes it.`,
          mend: 'npm start',
        };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { status: 'failed', subject, message: error.message, mend: null };
  }
}

const MOST_PROBLEMS = 5;

async function examineSchema(db: Db): Promise<Finding> {
  const problems = await schemaProblems(db);
  const subject = 'datastore schema';
  if (problems.length === 0)
    return {
      status: 'ok',
      subject,
      message: 'It has every table and column that this version needs.',
      mend: null,
    };
  const more = problems.length - MOST_PROBLEMS;
  const message = [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
  return { status: 'failed', subject, message, mend: SCHEMA_MEND };
}

const plain = (text: string) => text.replace(/\p{Cc}|\p{Bidi_Control}/gu, '?');

function printFindings(io: CliIo, findings: readonly Finding[]): void {
  for (const { status, subject, message, mend } of findings) {
    io.out(`${MARKS[status]} ${plain(`${subject}: ${message}`)}`);
    if (mend !== null) io.out(`    ${mend.replaceAll('\n', '\n    ')}`);
  }
}

type Entry = Examination['probes'][number];

function everyText({ interval_seconds, effective_interval_seconds: now }: Entry): string {
  return now === interval_seconds ? `${now} s` : `${now} s (${interval_seconds} s)`;
}

const percent = (value: number | null) => (value === null ? '–' : `${value.toFixed(4)} %`);

const COUNTED: ReadonlyMap<string, string> = new Map([
  ['waiting', 'not run yet'],
  ['switched_off', 'switched off'],
  ['not_applicable', 'not on this server'],
]);

/** A server is long; what is collected as it should be is a number. */
const FINE: ReadonlySet<string> = new Set(['ok', 'not_applicable', 'disabled']);

const GROUP_MARKS: ReadonlyMap<string, string> = new Map([
  ['failing', MARKS.failed],
  ['ok', MARKS.ok],
]);

function printSummary(io: CliIo, { counts, probes }: Examination): void {
  const words = Object.entries(counts).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${COUNTED.get(name) ?? name}`],
  );
  io.out(`  ${shownCount(probes.length, 'run')} of probes: ${words.join(', ')}.`);
}

function printRemedies(io: CliIo, { remedies, unmended }: Examination): void {
  for (const remedy of remedies) {
    io.out('');
    io.out(
      plain(`${MARKS.warning} ${namesOf(remedy)}: ${remedy.reason ?? remedy.status}${inDatabase(remedy)}`),
    );
    io.out(`    ${remedy.statement.replaceAll('\n', '\n    ')}`);
  }
  for (const group of unmended) {
    io.out('');
    io.out(plain(`${GROUP_MARKS.get(group.status) ?? MARKS.warning} ${namesOf(group)}: ${group.reason}`));
  }
}

function printExamination(io: CliIo, examination: Examination, all: boolean): void {
  const { answer, own_cost, probes } = examination;
  io.out(`${MARKS[answer.status]} ${plain(`${answer.subject}: ${answer.message}`)}`);
  const sessions = own_cost.sessions === null ? '' : `, ${shownCount(own_cost.sessions, 'session')} at most`;
  io.out(`  Collecting takes ${percent(own_cost.cost_percent)} of one core${sessions}.`);
  printSummary(io, examination);
  printRemedies(io, examination);
  const listed = all ? probes : probes.filter((entry) => !FINE.has(entry.status));
  if (listed.length > 0) {
    io.out('');
    printTable(
      io,
      ['PROBE', 'DATABASE', 'STATUS', 'EVERY', 'COST', 'TOOK'],
      listed.map((entry) => [
        entry.probe,
        entry.database_name ?? '',
        entry.status.replaceAll('_', ' '),
        everyText(entry),
        percent(entry.cost_percent),
        entry.took_ms === null ? '–' : `${entry.took_ms.toFixed(1)} ms`,
      ]),
    );
  }
  const hidden = probes.length - listed.length;
  if (hidden > 0)
    io.out(
      `${listed.length > 0 ? 'and ' : ''}${hidden} that are collected, switched off or not on this server; --all lists them too.`,
    );
}

const COULD_NOT_LOOK = 2;

/** Connects as the collector would, with the stored passwords. */
async function lookingOf(io: CliIo, ctx: Ctx): Promise<Looking> {
  const { secret_key_file: keyFile, data_dir, connections, password_sources: sources } = io.config();
  const { allow_private_networks, tls_file_folders } = connections;
  const tls_folders = tlsFoldersOf(tls_file_folders, data_dir);
  const vault = await openVault({ db: ctx.db, keyFile, createIfMissing: false });
  const password_sources = new PasswordSources({ sources, clock: ctx.clock, log: ctx.log });
  return (ids) => lookAt(ctx, { vault, allow_private_networks, tls_folders, password_sources }, ids);
}

async function look(io: CliIo, args: CommandArgs): Promise<number> {
  const wanted = args.argument('connection');
  const ctx = await commandCtx(io);
  if (wanted !== '') {
    const examination = await examineConnection(ctx, wanted, async (ids) => (await lookingOf(io, ctx))(ids));
    if (args.flag('json')) io.out(JSON.stringify(examination, null, 2));
    else printExamination(io, examination, args.flag('all'));
    return examination.well ? 0 : 1;
  }
  const findings = [
    await examineKey(io),
    await examineSchema(ctx.db),
    ...(await examine(ctx, await lookingOf(io, ctx))),
  ];
  if (args.flag('json')) io.out(JSON.stringify({ findings }, null, 2));
  else printFindings(io, findings);
  return findings.some(({ status }) => status === 'failed' || status === 'warning') ? 1 : 0;
}

export const command: Command = {
  path: ['doctor'],
  summary: 'Look over the installation and every monitored server, or one server in full',
  details:
    'Connects to each server now. Exit status: 0 all is well, 1 something is not, 2 it could not look.',
  arguments: [{ name: 'connection', description: 'name or id of one connection', optional: true }],
  options: [
    { flags: '--all', description: 'list the probes of one server that are well, too' },
    { flags: '--json', description: 'print JSON' },
  ],
  async run(io, args) {
    try {
      return await look(io, args);
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof Fault)) throw error;
      io.err(error.message);
      return COULD_NOT_LOOK;
    }
  },
};
