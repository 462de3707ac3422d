// Which statements of a server are looked for, as it stands in the address, and what is asked of the server for it. Pure.

import type { Input } from '../../../api/client.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { parseSort, type Sort } from '../../../lib/sort.ts';
import type { Comparison, Window } from '../../../lib/time-window.ts';
import type { ActivitySource } from '../activity/activity-charts.ts';

export type Statement = OperationTypes['listTopQueries']['result'][number];
type TopQueriesQuery = Input<'listTopQueries'>['query'];

/** As many as the server answers at once. */
export const PART = 100;
export const BY_LOAD: Sort = { key: 'total_exec_time', descending: true };

const ORDERS = [
  'total_exec_time',
  'calls',
  'mean_exec_time',
  'rows',
  'shared_blks_hit',
  'shared_blks_read',
] as const;

/** What the whole server spent on statements; the list below says which ones. */
export const LOAD: ActivitySource = {
  probe: 'pg_stat_statements',
  charts: [
    { title: 'Query time', metrics: ['total_exec_time_per_sec'] },
    { title: 'Calls', metrics: ['calls_per_sec'] },
    { title: 'Mean query time', metrics: ['mean_time'] },
  ],
};

export interface QueriesFilter {
  sort: Sort;
  text: string;
  database: string;
  /** Leaves out the statements that Matriarch sends itself, unless they are chosen. */
  isWithoutOwn: boolean;
}

/** Reads what the address says; what it cannot mean counts as the default. */
export function wantedOf(text: (name: 'sort' | 'q' | 'database' | 'own') => string): QueriesFilter {
  return {
    sort: parseSort(text('sort'), ORDERS, BY_LOAD),
    text: text('q').slice(0, 200),
    database: text('database'),
    isWithoutOwn: text('own') !== 'with',
  };
}

export const isNarrowed = ({ text, database }: QueriesFilter): boolean =>
  text.trim() !== '' || database !== '';

/** A window, and which other one it is compared with. */
export interface Shown extends Window {
  compare?: Comparison | undefined;
}

/** Parts of the window in the small line of a row. */
export const COURSE_BUCKETS = 30;

/** What is asked for them over a window; a part of them with limit and offset. */
export function askedFor(id: number, { from, to, compare }: Shown, wanted: QueriesFilter): TopQueriesQuery {
  const { sort, text, database, isWithoutOwn } = wanted;
  return {
    connection_id: id,
    start_time: new Date(from).toISOString(),
    end_time: new Date(to).toISOString(),
    order_by: ORDERS.find((name) => name === sort.key) ?? 'total_exec_time',
    order: sort.descending ? 'desc' : 'asc',
    ...(text.trim() !== '' && { search: text.trim() }),
    ...(database !== '' && { database_name: database }),
    ...(isWithoutOwn && { exclude_collector: true }),
    ...(compare && { compare }),
  };
}

/** For how many seconds of a window statements were counted, by a series of it; null while that is not known. */
export function measuredSeconds(
  series: { data: readonly { value: number | null }[] } | undefined,
  { from, to, buckets }: Window & { buckets: number },
): number | null {
  const measured = series?.data.filter(({ value }) => value !== null).length ?? 0;
  return measured === 0 ? null : (measured * (to - from)) / buckets / 1000;
}

/** One line of a statement, long enough to tell it by. */
export const shortText = (query: string): string => cutText(query.replaceAll(/\s+/g, ' ').trim(), 400);
