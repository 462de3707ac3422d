// matriarch logs: a verdict on log files of PostgreSQL, without a datastore and without a server. Guards: what it prints is inert;
// literals of statements are masked unless they are asked for, and secrets always.
import { Masker } from '../../assistant/ai-runs/masking.ts';
import { inertJson, inertLine } from '../../kernel/inert-text.ts';
import { readLogs } from '../../logs/read-logs.ts';
import type { Mask } from '../../logs/report.ts';
import type { Command, CommandArgs } from '../command.ts';
import { logsHtml } from '../html/logs-html.ts';
import { logsPage } from '../logs-page.ts';

const NOTHING_READ = 2;
const USAGE = 64;

function maskOf(args: CommandArgs): Mask {
  const masker = new Masker({ mask_emails: true, mask_addresses: false });
  return args.flag('keep-literals') ? (text) => masker.secrets(text) : (text) => masker.text(text);
}

export const command: Command = {
  path: ['logs'],
  summary: 'Give log files of PostgreSQL a verdict, without a datastore and without a server',
  details: [
    'Reads stderr with any log_line_prefix, csvlog, jsonlog and what syslog made of them, as they are or packed with gzip, zstd, bzip2, xz or lz4.',
    'Exit status: 0 the files were read, 2 nothing in them is a log of PostgreSQL, 64 a file could not be opened (the others were read) or the command was not understood.',
  ].join('\n'),
  arguments: [
    { name: 'file', description: 'log files in the order of their lines; - is standard input', many: true },
  ],
  options: [
    { flags: '--json', description: 'print everything as JSON' },
    { flags: '--html', description: 'print one page of HTML that stands by itself, to be kept as a file' },
    { flags: '--prefix <text>', description: 'log_line_prefix of the server; found out when absent' },
    { flags: '--keep-literals', description: 'show constants of statements; secrets stay masked' },
  ],
  usageStatus: USAGE,
  async run(io, args) {
    const files = args.list('file');
    const report = await readLogs({
      files,
      prefix: args.text('prefix'),
      mask: maskOf(args),
      year: new Date(io.clock.now()).getUTCFullYear(),
    });
    if (args.flag('json')) io.out(inertJson(JSON.stringify(report, null, 2)));
    else if (args.flag('html')) io.out(logsHtml(report));
    else for (const line of logsPage(report, io.width)) io.out(line);
    for (const sentence of report.unread) io.err(inertLine(sentence));
    if (report.unread.length > 0) return USAGE;
    return report.events > 0 ? 0 : NOTHING_READ;
  },
};
