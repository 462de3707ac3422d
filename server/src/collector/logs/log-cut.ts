// How much of what was read of a log file is whole events, so that the next look goes on at the start of one. Pure. Guards: an event that
// is still being written is left for the next look; where nothing more comes, its last one is taken too.
import type { LogFormat } from '../../estate/connections/log-source.ts';
import { prefixOfLine } from '../../logs/read/prefix.ts';
import { WORDS } from '../../logs/severities.ts';

const NEWLINE = 10;
const QUOTE = 34;
const TAB = '\t';

/** Behind the last line that is whole. */
const wholeLines = (bytes: Buffer) => bytes.lastIndexOf(NEWLINE) + 1;

/** Behind the last line end that is not within quotes. */
function wholeRecords(bytes: Buffer): number {
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (byte === NEWLINE && !isQuoted) end = at + 1;
  }
  return end;
}

/** Whether an event begins with the line, rather than goes on. */
function isEventStart(line: string): boolean {
  if (line.startsWith(TAB)) return false;
  const prefix = prefixOfLine(line);
  const word = prefix && WORDS.get(prefix.pattern.exec(line)?.[prefix.groups.word] ?? '');
  return word !== undefined && 'severity' in word;
}

/** Where the last event begins among whole lines that end there. */
function lastEvent(bytes: Buffer, end: number): number {
  for (let next = end; next > 0; ) {
    const start = bytes.lastIndexOf(NEWLINE, next - 2) + 1;
    if (isEventStart(bytes.toString('latin1', start, next - 1))) return start;
    if (start === 0) return 0;
    next = start;
  }
  return 0;
}

export interface CutWish {
  readonly format: LogFormat;
  /** Nothing more is expected to belong to what is there. */
  readonly isQuiet: boolean;
}

/** How many bytes from the start are whole events; 0 when none is. */
export function wholeEvents(bytes: Buffer, { format, isQuiet }: CutWish): number {
  if (format === 'csvlog') return wholeRecords(bytes);
  const end = wholeLines(bytes);
  // A line end at the very start of a piece has no line before it.
  if (format === 'jsonlog' || isQuiet || end <= 1) return end;
  return lastEvent(bytes, end);
}
