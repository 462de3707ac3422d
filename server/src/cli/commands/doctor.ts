// matriarch doctor: says what is not well and what mends it; exit code 1 when something has failed.
import {
  type Examination,
  examine,
  examineConnection,
  type Finding,
  namesOf,
  placeOf,
} from '../../areas/estate/doctor.service.ts';
import { readKeyFile } from '../../areas/secrets/key-file.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type CliIo, type Command, commandCtx, printTable } from '../command.ts';

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;

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
          mend: 'matriarch start',
        };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { status: 'failed', subject, message: error.message, mend: null };
  }
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

/** A server is long; what is collected as it should be is a number. */
const FINE: ReadonlySet<string> = new Set(['ok', 'not_applicable', 'disabled']);

const GROUP_MARKS: ReadonlyMap<string, string> = new Map([
  ['failing', MARKS.failed],
  ['ok', MARKS.ok],
]);

function printSummary(io: CliIo, probes: readonly Entry[]): void {
  const counts = Map.groupBy(probes, ({ status }) => status);
  const words = [...counts].map(([status, of]) => `${of.length} ${status.replaceAll('_', ' ')}`);
  io.out(`  ${probes.length} runs of probes: ${words.join(', ')}.`);
}

function printRemedies(io: CliIo, { remedies, unmended }: Examination): void {
  for (const remedy of remedies) {
    io.out('');
    io.out(plain(`${MARKS.warning} ${namesOf(remedy)}: ${remedy.reason ?? remedy.status}${placeOf(remedy)}`));
    io.out(`    ${remedy.statement.replaceAll('\n', '\n    ')}`);
  }
  for (const group of unmended) {
    io.out('');
    io.out(plain(`${GROUP_MARKS.get(group.status) ?? MARKS.warning} ${namesOf(group)}: ${group.reason}`));
  }
}

function printExamination(io: CliIo, examination: Examination, all: boolean): void {
  const { server, own_cost, probes } = examination;
  const { name, version, status, connection_error } = server;
  const state = connection_error ?? `PostgreSQL ${version ?? 'of unknown version'}, ${status}.`;
  io.out(`${connection_error === null ? MARKS.ok : MARKS.failed} ${plain(`${name}: ${state}`)}`);
  const sessions = own_cost.sessions === null ? '' : `, ${own_cost.sessions} sessions at most`;
  io.out(`  Collecting takes ${percent(own_cost.cost_percent)} of one core${sessions}.`);
  printSummary(io, probes);
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
  if (hidden > 0) io.out(`${listed.length > 0 ? 'and ' : ''}${hidden} that are well; --all lists them too.`);
}

export const command: Command = {
  path: ['doctor'],
  summary: 'Look over the installation and every monitored server, or one server in full',
  arguments: [{ name: 'connection', description: 'name or id of one connection', optional: true }],
  options: [
    { flags: '--all', description: 'list the probes of one server that are well, too' },
    { flags: '--json', description: 'print JSON' },
  ],
  async run(io, args) {
    const wanted = args.argument('connection');
    if (wanted !== '') {
      const examination = await examineConnection(await commandCtx(io), wanted);
      if (args.flag('json')) io.out(JSON.stringify(examination, null, 2));
      else printExamination(io, examination, args.flag('all'));
      return examination.failed ? 1 : 0;
    }
    const findings = [await examineKey(io), ...(await examine(await commandCtx(io)))];
    if (args.flag('json')) io.out(JSON.stringify({ findings }, null, 2));
    else printFindings(io, findings);
    return findings.some(({ status }) => status === 'failed') ? 1 : 0;
  },
};
