// Whether the log files of a server can be read, and what mends it where they cannot. Pure. The connection test, the coverage and the
// collector judge by it alike.
import path from 'node:path';
import { logsScript } from './log-script.ts';
import { quoteName } from './script-quotes.ts';

export type LogFormat = 'jsonlog' | 'csvlog' | 'stderr';

export interface LogSource {
  readonly is_there: boolean;
  readonly may_read: boolean;
  readonly may_list: boolean;
  readonly writes_files: boolean;
  readonly destination: string;
  readonly prefix: string;
  readonly time_zone: string;
  readonly messages: string;
  /** Where files are written, as the server sees it; '' where it does not say it. */
  readonly directory: string;
}

export interface LogVerdict {
  /** Undefined where nothing can be read. */
  readonly format: LogFormat | undefined;
  /** Why nothing can be read, or what is lacking of what is read; null when all is well. */
  readonly reason: string | null;
  /** SQL. */
  readonly mend: string | null;
}

/** The ones that say most first. */
const FORMATS: readonly LogFormat[] = ['jsonlog', 'csvlog', 'stderr'];
/** How names of files end. */
export const SUFFIXES: Readonly<Record<LogFormat, string>> = {
  jsonlog: '.json',
  csvlog: '.csv',
  stderr: '.log',
};
const LONGEST = 1000;

const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, LONGEST) : '');

const directoryOf = (data: string, log: string) => (data === '' || log === '' ? '' : path.resolve(data, log));

/** Whatever the server answered, as what it has to be. */
export function readLogSource(row: Readonly<Record<string, unknown>> | undefined): LogSource | undefined {
  if (!row) return undefined;
  return {
    is_there: row.is_there === true,
    may_read: row.may_read === true,
    may_list: row.may_list === true,
    writes_files: row.writes_files === true,
    destination: text(row.destination),
    prefix: text(row.prefix),
    time_zone: text(row.time_zone),
    messages: text(row.messages),
    directory: directoryOf(text(row.data_directory), text(row.log_directory)),
  };
}

const RELOAD = 'select pg_reload_conf();';
const none = (reason: string, mend: string | null): LogVerdict => ({ format: undefined, reason, mend });

const isEnglish = (messages: string) => messages === '' || /^(?:C|POSIX|en)(?![a-z])/i.test(messages);

/** What is lacking of lines that can be read. */
function lacking({ prefix, messages }: LogSource, format: LogFormat): Pick<LogVerdict, 'reason' | 'mend'> {
  const reasons: string[] = [];
  const mends: string[] = [];
  if (format === 'stderr' && !(/%-?\d*[mtn]/.test(prefix) && /%-?\d*p/.test(prefix))) {
    reasons.push('log_line_prefix has no time or no process ID, so that times are those of reading.');
    mends.push("alter system set log_line_prefix = '%m [%p] %q%u@%d ';");
  }
  if (!isEnglish(messages)) {
    reasons.push(
      'Messages of the server are not in English: the commonest are known, and other events are classified by SQLSTATE alone.',
    );
    mends.push("alter system set lc_messages = 'C';");
  }
  if (reasons.length === 0) return { reason: null, mend: null };
  return { reason: reasons.join(' '), mend: [...mends, RELOAD].join('\n') };
}

/** What the server writes, whoever reads it. */
function written({ writes_files, destination }: LogSource): LogVerdict {
  if (!writes_files)
    return none(
      'The server writes no log files of its own (logging_collector = off).',
      '-- Needs a restart of the server.\nalter system set logging_collector = on;',
    );
  const kinds = destination.split(',').map((one) => one.trim().toLowerCase());
  const format = FORMATS.find((one) => kinds.includes(one));
  if (format === undefined)
    return none(
      `The server writes no log files that can be read (log_destination = ${destination}).`,
      `alter system set log_destination = '${[...kinds.filter((one) => /^[a-z]+$/.test(one)), 'stderr'].join(', ')}';\n${RELOAD}`,
    );
  return { format, reason: null, mend: null };
}

/** Where its files are read from the disk. */
export function judgeLocalLog(source: LogSource): LogVerdict {
  const found = written(source);
  return found.format === undefined ? found : { ...found, ...lacking(source, found.format) };
}

export function judgeLogSource(source: LogSource, role: string): LogVerdict {
  const { may_list, may_read, is_there } = source;
  const found = written(source);
  const { format } = found;
  if (format === undefined) return found;
  const grant = `grant pg_monitor to ${quoteName(role)};`;
  if (!is_there || !may_read) {
    const what = is_there
      ? `${role} may not call the function that reads log files.`
      : 'The function that reads log files is not there.';
    return none(what, may_list ? logsScript(role) : `${grant}\n${logsScript(role)}`);
  }
  if (!may_list) return none(`${role} may not list log files: it lacks pg_monitor.`, grant);
  return { format, ...lacking(source, format) };
}

export interface LogsFound {
  is_readable: boolean;
  message: string;
  mend: string | null;
}

/** The verdict as a connection test shows it. */
export const logsFound = ({ format, reason, mend }: LogVerdict): LogsFound => ({
  is_readable: format !== undefined,
  message: reason ?? `Log files of the server can be read (${format}).`,
  mend,
});
