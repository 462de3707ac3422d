// The verdict on logs as plain data, which --json prints and the terminal shows. Guards: no text of the file is in it
// that did not pass the mask; what is not known is null.
import { cutText } from '../kernel/inert-text.ts';
import type { StatementRow } from './figures/by-statement.ts';
import type { DeadlockSide } from './figures/deadlocks.ts';
import type { Format } from './read/formats.ts';
import type { ClassCount, Summary } from './summary.ts';
import { decoded } from './text.ts';
import type { LogEvent, Weight } from './types.ts';

const TOP = 20;
const LONGEST_SHOWN = 2000;

/** What may be shown of a text; keeps or takes out literals, and always takes out secrets. */
export type Mask = (text: string) => string;

export interface ReadFile {
  name: string;
  formats: Format[];
  packing: string | null;
  lines: number;
  events: number;
  prefixes: string[];
}

export interface LogFinding {
  class: string;
  group: string;
  weight: Weight;
  title: string;
  count: number;
  first: string | null;
  last: string | null;
  meaning: string;
  remedy: string;
  example: { severity: string; message: string; detail: string | null; statement: string | null };
  figures: Record<string, { count: number; sum: number; max: number }>;
}

const timeText = (time: number): string | null =>
  Number.isFinite(time) ? new Date(time).toISOString() : null;

const round = (value: number) => Number(value.toFixed(3));

function exampleOf(event: LogEvent, mask: Mask): LogFinding['example'] {
  const shown = (text: string) => (text === '' ? null : mask(cutText(decoded(text), LONGEST_SHOWN, '…')));
  return {
    severity: event.severity,
    message: shown(event.message) ?? '',
    detail: shown(event.detail),
    statement: shown(event.statement),
  };
}

function findingOf({ one, count, first, last, example, figures }: ClassCount, mask: Mask): LogFinding {
  return {
    class: one.name,
    group: one.group,
    weight: one.weight,
    title: one.title,
    count,
    first: timeText(first),
    last: timeText(last),
    meaning: one.meaning,
    remedy: one.remedy,
    example: exampleOf(example, mask),
    figures: Object.fromEntries(
      [...figures].map(([name, { count: n, sum, most }]) => [
        name,
        { count: n, sum: round(sum), max: round(most) },
      ]),
    ),
  };
}

const WEIGHTS: readonly Weight[] = ['critical', 'warning', 'info', 'normal'];

const byWeight = (a: LogFinding, b: LogFinding) =>
  WEIGHTS.indexOf(a.weight) - WEIGHTS.indexOf(b.weight) || b.count - a.count || (a.class < b.class ? -1 : 1);

const slowRow = (mask: Mask) => (row: StatementRow) => ({
  fingerprint: row.fingerprint,
  statement: mask(cutText(row.statement, LONGEST_SHOWN, '…')),
  count: row.count,
  total_ms: round(row.total),
  mean_ms: round(row.total / row.count),
  max_ms: round(row.most),
  first: timeText(row.first),
  last: timeText(row.last),
});

const tempRow = (mask: Mask) => (row: StatementRow) => ({
  fingerprint: row.fingerprint,
  statement: row.statement === '' ? null : mask(cutText(row.statement, LONGEST_SHOWN, '…')),
  count: row.count,
  bytes: row.total,
  largest_bytes: row.most,
});

/** Sum and most of a figure of a class; null where no event had it. */
function figureOf(summary: Summary, name: string, figure: string) {
  const found = summary.classes.get(name)?.figures.get(figure);
  return found === undefined ? null : { sum: round(found.sum), max: round(found.most) };
}

const countOf = (summary: Summary, name: string) => summary.classes.get(name)?.count ?? 0;

function checkpointsOf(summary: Summary) {
  const of = (figure: string) => figureOf(summary, 'checkpoint_complete', figure);
  return {
    count: countOf(summary, 'checkpoint_complete'),
    started: countOf(summary, 'checkpoint_starting'),
    too_frequent: countOf(summary, 'checkpoints_too_frequent'),
    restartpoints: countOf(summary, 'restartpoint_complete'),
    by_cause: summary.checkpointCauses.object,
    buffers: of('buffers')?.sum ?? null,
    longest_seconds: of('total_seconds')?.max ?? null,
    longest_sync_seconds: of('longest_sync_seconds')?.max ?? null,
    distance_kb: of('distance_kb')?.sum ?? null,
  };
}

function vacuumsOf(summary: Summary) {
  return [...summary.tables]
    .toSorted(([, a], [, b]) => b.elapsed_seconds - a.elapsed_seconds || b.vacuums - a.vacuums)
    .slice(0, TOP)
    .map(([table, runs]) => ({ table, ...runs, elapsed_seconds: round(runs.elapsed_seconds) }));
}

function deadlocksOf(summary: Summary, mask: Mask) {
  const side = (one: DeadlockSide) => ({
    ...one,
    statement: one.statement === null ? null : mask(cutText(one.statement, LONGEST_SHOWN, '…')),
  });
  return summary.deadlocks.map((one) => ({
    ...one,
    time: timeText(one.time),
    context: one.context === null ? null : mask(cutText(one.context, LONGEST_SHOWN, '…')),
    sides: one.sides.map(side),
  }));
}

function lockWaitsOf(summary: Summary) {
  const ended = figureOf(summary, 'lock_acquired', 'waited_ms');
  return {
    count: countOf(summary, 'lock_wait'),
    ended: countOf(summary, 'lock_acquired'),
    given_up: countOf(summary, 'lock_wait_failed'),
    longest_ms: ended?.max ?? figureOf(summary, 'lock_wait', 'waited_ms')?.max ?? null,
    total_ms: ended?.sum ?? null,
    by_lock: summary.lockModes.object,
  };
}

export interface ReportParts {
  summary: Summary;
  files: readonly ReadFile[];
  skipped: ReadonlyMap<string, number>;
  notes: readonly string[];
  /** Files that could not be opened, with the reason, in sentences. */
  unread: readonly string[];
  mask: Mask;
}

const sorted = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));

export function reportOf({ summary, files, skipped, notes, mask, unread }: ReportParts) {
  const findings = [...summary.classes.values()].map((one) => findingOf(one, mask)).toSorted(byWeight);
  return {
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    events: summary.events,
    from: timeText(summary.first),
    to: timeText(summary.last),
    worst: findings.find(({ weight }) => weight !== 'normal')?.weight ?? null,
    by_sqlstate: sorted(summary.sqlstates),
    without_sqlstate: summary.unknownSqlstate,
    by_class: Object.fromEntries(findings.map((one) => [one.class, one.count])),
    by_severity: sorted(summary.severities),
    unclassified: summary.unclassified,
    unclassified_texts: summary.unclassifiedTexts.entries
      .slice(0, TOP)
      .map(([text, count]) => ({ text: mask(text), count })),
    skipped: [...skipped].map(([reason, lines]) => ({ reason, lines })),
    files,
    unread,
    notes,
    versions: summary.versions.entries.map(([version]) => version),
    findings,
    deadlocks: deadlocksOf(summary, mask),
    slow_statements: {
      count: summary.slow.count,
      total_ms: round(summary.slow.total),
      max_ms: summary.slow.count === 0 ? null : round(summary.slow.most),
      fingerprints: summary.slow.kinds,
      not_kept: summary.slow.uncounted,
      top: summary.slow.top(TOP).map(slowRow(mask)),
    },
    temp_files: {
      count: summary.tempFiles.count,
      bytes: summary.tempFiles.total,
      largest_bytes: summary.tempFiles.count === 0 ? null : summary.tempFiles.most,
      top: summary.tempFiles.top(TOP).map(tempRow(mask)),
    },
    checkpoints: checkpointsOf(summary),
    autovacuums: {
      count: countOf(summary, 'autovacuum') + countOf(summary, 'autovacuum_wraparound'),
      analyzes: countOf(summary, 'autoanalyze'),
      top: vacuumsOf(summary),
    },
    lock_waits: lockWaitsOf(summary),
    connection_failures: summary.connectionFailures.object,
    changed_settings: summary.changedSettings.object,
  };
}

export type LogReport = ReturnType<typeof reportOf>;
