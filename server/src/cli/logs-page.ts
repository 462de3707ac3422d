// The verdict on logs as a page in a terminal: what matters first, the worst on top, then figures. Guards: control characters of a
// file never reach the terminal.

import { cutText, inertBlock, inertLine } from '../kernel/inert-text.ts';
import { shownCount } from '../kernel/shown-value.ts';
import type { LogFinding, LogReport } from '../logs/report.ts';
import { wrapped } from './wrapped.ts';

const MARKS = { critical: '✗', warning: '!', info: '·', normal: ' ' } as const;

const whenOf = ({ first, last }: LogFinding) => (first === last ? `${first}` : `${first} to ${last}`);

const WIDEST = 120;
const LONGEST_EXAMPLE = 400;

function findingLines(one: LogFinding): string[] {
  const head = inertLine(`${MARKS[one.weight]} ${one.title}: ${one.count}`);
  if (one.weight === 'info' || one.weight === 'normal') return [head];
  return [
    `${head}, ${whenOf(one)}`,
    `  ${one.meaning}`,
    `  What to do: ${one.remedy}`,
    `  Example: ${inertLine(cutText(one.example.message, LONGEST_EXAMPLE, '…'))}`,
  ];
}

function figureLines(report: LogReport): string[] {
  const { slow_statements: slow, temp_files: temp, checkpoints, autovacuums, lock_waits: waits } = report;
  return [
    `Slow statements: ${slow.count}, ${slow.total_ms} ms in all`,
    ...slow.top
      .slice(0, 5)
      .map((row) => `  ${row.total_ms} ms, ${shownCount(row.count, 'time')}: ${inertLine(row.statement)}`),
    `Temporary files: ${temp.count}, ${temp.bytes} bytes`,
    `Checkpoints: ${checkpoints.count}; autovacuum runs: ${autovacuums.count}; autoanalyze runs: ${autovacuums.analyzes}`,
    `Lock waits: ${waits.count}`,
    ...Object.entries(report.connection_failures).map(
      ([reason, count]) => `Failed connections: ${count}, ${inertLine(reason)}`,
    ),
  ];
}

export function logsPage(report: LogReport, terminal: number | undefined): string[] {
  const width = Math.min(WIDEST, terminal ?? WIDEST);
  return linesOf(report).flatMap((line) =>
    line === '' ? [line] : wrapped(line, /^ */.exec(line)?.[0] ?? '', width),
  );
}

function linesOf(report: LogReport): string[] {
  const skipped = report.skipped.map(({ reason, lines }) => `Skipped lines: ${lines}, ${reason}`);
  if (report.events === 0)
    return ['No line is of a PostgreSQL log.', ...skipped, ...report.notes.map(inertBlock)];
  const found = report.findings.filter(({ weight }) => weight !== 'normal');
  const head = report.worst === null ? 'Nothing of note.' : `Worst: ${report.worst}.`;
  return [
    `${head} ${report.lines} lines, ${report.events} events, ${report.from ?? 'unknown'} to ${report.to ?? 'unknown'}.`,
    '',
    ...found.flatMap(findingLines),
    '',
    ...figureLines(report),
    `Unclassified events: ${report.unclassified}`,
    ...skipped,
    ...report.notes.map((note) => `Note: ${note}`),
  ];
}
