// Formats of lines of a log, as one line tells them. Pure.
import { isCsvStart } from './csv.ts';
import { isSyslog } from './syslog.ts';

export type PlainFormat = 'stderr' | 'csvlog' | 'syslog';
export type Format = PlainFormat | 'jsonlog';

export function plainFormatOf(line: string): PlainFormat {
  if (isCsvStart(line)) return 'csvlog';
  return isSyslog(line) ? 'syslog' : 'stderr';
}
