// The log of a server in words: its series, and what a state of reading means. Pure. Guards: what is not drawn by itself is part of the
// rest, so that the areas sum up to all events; a bucket that was not read is a gap.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { formatBytes } from '../../../lib/format.ts';
import { type ChartSeries, type Grid, ofGrid } from '../../../ui/charts/series.ts';
import type { Mark } from '../../../ui/status.tsx';

export type LogCounts = OperationTypes['getConnectionLogCounts']['result'];
export type LogClass = LogCounts['classes'][number];
export type LogEvent = OperationTypes['listConnectionLogEvents']['result']['events'][number];

/** So many classes have an area of their own. */
export const DRAWN = 7;

export const WEIGHTS: Readonly<Record<LogClass['weight'], { mark: Mark; label: string }>> = {
  critical: { mark: 'failed', label: 'Critical' },
  warning: { mark: 'warning', label: 'Warning' },
  info: { mark: 'info', label: 'Info' },
  normal: { mark: 'ok', label: 'Normal' },
};

const GAPS: Readonly<Record<LogCounts['gaps'][number]['reason'], string>> = {
  removed: 'removed before it was read',
  truncated: 'truncated before it was read',
  replaced: 'replaced before it was read',
  format_changed: 'left unread when the log format changed',
  line_too_long: 'skipped: a line is too long',
  too_many: 'dropped: more came than can be stored',
  incomplete: 'messages of which parts did not come',
};

/** "12 MB of postgresql-Fri.log were removed before they were read". */
export const gapText = ({ file_name, bytes, reason }: LogCounts['gaps'][number]): string =>
  `${formatBytes(bytes)} of ${file_name}: ${GAPS[reason]}`;

const sumOf = (columns: readonly (readonly (number | null)[])[], at: number): number | null => {
  const known = columns.flatMap((values) => values[at] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};

type Counted = Pick<LogCounts, 'start_time' | 'bucket_seconds' | 'classes'>;

/** What matters by itself, all others together, as they are counted in a bucket of the answer. */
export function seriesOf(counts: Counted, grid: Grid): ChartSeries[] {
  const drawn = (values: readonly (number | null)[]) => ofGrid(values, counts, grid);
  const own = counts.classes.slice(0, DRAWN);
  const rest = counts.classes.slice(DRAWN).map(({ values }) => values);
  const series = own.map(
    ({ title, meaning, values }): ChartSeries => ({
      name: title,
      description: meaning,
      values: drawn(values),
    }),
  );
  if (rest.length === 0) return series;
  const values = (own[0]?.values ?? []).map((_value, at) => sumOf(rest, at));
  return [
    ...series,
    { name: 'All others', description: 'Events of all other classes.', values: drawn(values) },
  ];
}

interface Compared {
  before: Counted | undefined;
  /** How long before this window it began, in milliseconds. */
  by: number;
}

/** All events of another window, as a line on the clock of this one and counted in the buckets of this answer. */
export function comparedOf(
  { bucket_seconds }: Pick<Counted, 'bucket_seconds'>,
  { before, by }: Compared,
  grid: Grid,
): ChartSeries[] {
  const columns = (before?.classes ?? []).map(({ values }) => values);
  if (before === undefined || columns.length === 0) return [];
  const start_time = new Date(Date.parse(before.start_time) + by).toISOString();
  const share = bucket_seconds / before.bucket_seconds;
  const values = (columns[0] ?? []).map((_value, at) => {
    const sum = sumOf(columns, at);
    return sum === null ? null : Math.round(sum * share);
  });
  return [
    {
      name: 'Before',
      values: ofGrid(values, { ...before, start_time }, grid),
      isLine: true,
      description: 'All events in the time that it is compared with.',
    },
  ];
}

/** The parts of an event that it has, in the order of the log. */
export function partsOf(event: LogEvent): { name: string; text: string }[] {
  const parts = {
    DETAIL: event.detail,
    HINT: event.hint,
    CONTEXT: event.context,
    STATEMENT: event.statement,
  };
  return Object.entries(parts).flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
}

/** "app@shop, PID 30444, 40P01". */
export function whoOf({
  user_name,
  database_name,
  application_name,
  process_id,
  sqlstate,
}: LogEvent): string {
  const role = [user_name, database_name].filter((one) => one !== null).join('@');
  const parts = [
    role,
    application_name ?? '',
    process_id === null ? '' : `PID ${process_id}`,
    // That of every event without an error says nothing.
    sqlstate === '00000' ? '' : (sqlstate ?? ''),
  ];
  return parts.filter((one) => one !== '').join(', ');
}
