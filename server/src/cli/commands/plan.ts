// matriarch plan: reads query plans from files, without a datastore and without a server. Guards: nothing of a file reaches the terminal but
// as plain text; a file of any size costs bounded memory.
import { open } from 'node:fs/promises';
import { stdin } from 'node:process';
import { UsageError } from '../../kernel/errors.ts';
import { fileProblem } from '../../kernel/file-problem.ts';
import { inertJson } from '../../kernel/inert-text.ts';
import { MOST_CHARACTERS } from '../../plans/caps.ts';
import { diffOf } from '../../plans/diff.ts';
import { readPlans } from '../../plans/read.ts';
import type { Plan } from '../../plans/types.ts';
import { type CliIo, type Command, type CommandArgs, readNumber } from '../command.ts';
import { diffHtml, planHtml } from '../html/plan-html.ts';
import { diffLines, planLines } from '../plan/terminal.ts';

/** A character takes up to three bytes. */
const MOST_BYTES = 3 * MOST_CHARACTERS;
const MB = 1024 * 1024;

const tooLarge = () =>
  new UsageError(
    `The file is larger than ${MOST_BYTES / MB} MB, which is more than a plan takes; give the plan alone.`,
  );

async function bytesOf(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MOST_BYTES) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

async function bytesOfFile(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > MOST_BYTES) throw tooLarge();
      const bytes = await bytesOf(file.createReadStream({ autoClose: false }));
      if (bytes.length === 0)
        throw new UsageError(`The file ${path} is empty: write what EXPLAIN prints in it.`);
      return bytes;
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(
      `The file ${path} ${fileProblem(cause)}. A plan is read from a file, or from standard input with -.`,
    );
  }
}

/** PowerShell writes UTF-16 where its output goes to a file. */
const decoded = (bytes: Buffer): string =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('utf8');

async function plansOf(path: string): Promise<Plan[]> {
  return readPlans(decoded(await (path === '-' ? bytesOf(stdin) : bytesOfFile(path))));
}

/** The slowest of several, or the one that was asked for. */
function choose(plans: readonly Plan[], wanted: number | undefined): { plan: Plan; at: number } {
  const times = plans.map(({ duration_ms, execution_ms }) => duration_ms ?? execution_ms ?? -1);
  const at = wanted === undefined ? times.indexOf(times.reduce((a, b) => Math.max(a, b), -1)) : wanted - 1;
  const plan = plans[at];
  if (plan === undefined)
    throw new UsageError(`The file has ${plans.length} plans; --nth is one of 1 to ${plans.length}.`);
  return { plan, at };
}

function print(io: CliIo, lines: readonly string[]): void {
  for (const line of lines) io.out(line);
}

async function compare(io: CliIo, args: CommandArgs): Promise<number> {
  const [before, after] = [await plansOf(args.argument('file')), await plansOf(args.argument('second'))];
  const diff = diffOf(choose(before, undefined).plan, choose(after, undefined).plan);
  if (args.flag('json')) io.out(inertJson(JSON.stringify(diff, null, 2)));
  else if (args.flag('html')) io.out(diffHtml(diff));
  else print(io, diffLines(diff, io));
  return 0;
}

export const command: Command = {
  path: ['plan'],
  summary: 'Explain a query plan from a file, or compare two',
  details: [
    'Reads EXPLAIN output of PostgreSQL 14 to 19 as text, JSON, YAML or XML, as psql prints it or as auto_explain logs it.',
    `Nothing is sent anywhere. A file may have ${MOST_BYTES / MB} MB, a plan 20,000 nodes and 1,000 levels.`,
    'Of a file with several plans, such as a log, the slowest is shown. Exit status: 0 a plan was read, 1 not.',
  ].join('\n'),
  arguments: [
    { name: 'file', description: 'a file with a plan, or - for standard input' },
    { name: 'second', description: 'a later plan of the same statement, to compare with', optional: true },
  ],
  options: [
    { flags: '--json', description: 'print the tree, its figures and the advice as JSON' },
    { flags: '--html', description: 'print one page of HTML that stands by itself, to be kept as a file' },
    { flags: '--nth <n>', description: 'of several plans in a file, this one' },
  ],
  async run(io, args) {
    if (args.argument('second') !== '') return compare(io, args);
    const plans = await plansOf(args.argument('file'));
    const { plan, at } = choose(plans, readNumber(args, 'nth'));
    if (plans.length > 1) io.err(`Plan ${at + 1} of ${plans.length} in the file; --nth shows another.`);
    if (args.flag('json')) io.out(inertJson(JSON.stringify(plan, null, 2)));
    else if (args.flag('html')) io.out(planHtml(plan));
    else print(io, planLines(plan, io));
    return 0;
  },
};
