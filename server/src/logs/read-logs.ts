// Reads log files to a report. Guards: a file that cannot be read whole says so and loses nothing of the others; what a reader should
// know before trusting a figure is a note.

import { UsageError } from '../kernel/errors.ts';
import { append } from '../kernel/lists.ts';
import { shownCount } from '../kernel/shown-value.ts';
import { type Opened, openLog } from './read/open.ts';
import { LogReader } from './read/reader.ts';
import { type LogReport, type Mask, type ReadFile, reportOf } from './report.ts';
import { Summary } from './summary.ts';

export interface ReadLogs {
  files: readonly string[];
  /** log_line_prefix; found out where it is not given. */
  prefix?: string | undefined;
  mask: Mask;
  /** Of lines of syslog, which do not say it. */
  year: number;
}

function prefixNotes(name: string, reader: LogReader, given: string | undefined): string[] {
  if (given !== undefined && !reader.isGivenPrefixUsed && reader.formats.has('stderr'))
    return [
      `No line of ${name} has the prefix ${JSON.stringify(given)}; lines have ${JSON.stringify(reader.prefixes[0] ?? '')}. Leave --prefix away to have it found out.`,
    ];
  // Background processes leave parts out, so that one prefix has several forms.
  const starts = new Set(reader.prefixes.map((text) => /^[^%*]*[%*]?\w?/.exec(text)?.[0] ?? ''));
  return starts.size > 1
    ? [
        `The prefix of lines changes in ${name}: ${[...reader.prefixes]
          .slice(0, 4)
          .map((text) => JSON.stringify(text))
          .join(', ')}. All of them were read.`,
      ]
    : [];
}

const ODD_DATES = {
  either: 'No date says whether the day or the month is first; days were read first',
  both: 'Some dates have the day first and others the month, so times of lines may be wrong',
};

function notesOf(name: string, reader: LogReader, given: string | undefined): string[] {
  const { times, nulLines, badTextLines, foreignWords, formats } = reader;
  const dates = reader.dress.dates.note;
  return [
    ...prefixNotes(name, reader, given),
    ...(formats.size > 1 ? [`${name} has lines of several formats: ${[...formats].join(', ')}.`] : []),
    ...(times.jumpsBack > 0
      ? [
          `The time goes back ${times.jumpsBack === 1 ? 'once' : `${times.jumpsBack} times`} by more than a minute in ${name}: the clock was set, files were joined out of order, or several servers write to it.`,
        ]
      : []),
    ...(times.unknown.size > 0
      ? [
          `The time zone ${[...times.unknown].map((zone) => JSON.stringify(zone)).join(', ')} of ${name} is not known; its times are shown as they are in the file.`,
        ]
      : []),
    ...(dates === null ? [] : [`${ODD_DATES[dates]} in ${name}.`]),
    ...(nulLines > 0
      ? [`${shownCount(nulLines, 'line')} of ${name} held NUL bytes, which were left out.`]
      : []),
    ...(badTextLines > 0
      ? [
          `${shownCount(badTextLines, 'line')} of ${name} held bytes that are no UTF-8; they are shown as \ufffd.`,
        ]
      : []),
    ...(foreignWords.length > 0
      ? [
          `${name} is not in English: its commonest texts are known, and other events are classified by SQLSTATE alone. For the next ones: alter system set lc_messages = 'C'; select pg_reload_conf();`,
        ]
      : []),
  ];
}

async function opened(file: string, unread: string[]): Promise<Opened | undefined> {
  try {
    return await openLog(file);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    unread.push(cause.message);
    return undefined;
  }
}

/** Reads all files in their order. `unread` says which of them could not be opened; UsageError where that is all of them. */
export async function readLogs({ files, prefix, mask, year }: ReadLogs): Promise<LogReport> {
  const summary = new Summary();
  const read: ReadFile[] = [];
  const skipped = new Map<string, number>();
  const notes: string[] = [];
  const unread: string[] = [];
  let sources = 0;
  for (const file of files) {
    const name = file === '-' ? 'standard input' : file;
    const log = await opened(file, unread);
    if (log === undefined) continue;
    const before = summary.events;
    const reader = new LogReader({ emit: (event) => summary.add(event), prefix, year });
    for await (const bytes of log.bytes) reader.push(bytes);
    reader.end();
    sources = Math.max(sources, reader.sources);
    for (const [reason, lines] of reader.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + lines);
    const damage = log.damage();
    append(notes, damage === null ? [] : [damage]);
    append(notes, notesOf(name, reader, prefix));
    read.push({
      name,
      formats: [...reader.formats],
      packing: log.packing,
      lines: reader.lines,
      events: summary.events - before,
      prefixes: [...reader.prefixes],
    });
  }
  if (read.length === 0 && unread.length > 0) throw new UsageError(unread.join('\n'));
  append(notes, unread);
  if (summary.hasTwoServers || sources > 1)
    notes.push('Several servers wrote these lines at the same time; the figures are those of all of them.');
  if (summary.cutEvents > 0)
    notes.push(
      `${shownCount(summary.cutEvents, 'event')} longer than 1 MB (plans: 10 MB), or without an end, kept only the start.`,
    );
  return reportOf({ summary, files: read, skipped, notes, mask, unread });
}
