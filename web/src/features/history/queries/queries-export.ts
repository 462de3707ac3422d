// The statements of a list as a file, all that match and not only those on the screen. Pure. Guards: the file says of when it
// is.
import { csvText } from '../../../lib/csv.ts';
import type { Window } from '../../../lib/time-window.ts';
import type { Fetched } from '../../../ui/long-list/fetch-all.ts';
import type { Statement } from './queries-list.ts';

const COLUMNS = [
  'queryid',
  'database_name',
  'query',
  'load_percent',
  'calls',
  'total_exec_time',
  'mean_exec_time',
  'rows',
  'shared_blks_hit',
  'shared_blks_read',
  'is_own',
] as const;

const cellsOf = (statement: Statement) => COLUMNS.map((name) => statement[name] ?? null);

export function asCsv({ rows }: Fetched<Statement>): Blob {
  return new Blob([csvText([COLUMNS, ...rows.map(cellsOf)])], { type: 'text/csv' });
}

export function asJson(
  { rows, total }: Fetched<Statement>,
  { id, window }: { id: number; window: Window },
): Blob {
  const content = {
    connection_id: id,
    start_time: new Date(window.from).toISOString(),
    end_time: new Date(window.to).toISOString(),
    total_count: total,
    statements: rows,
  };
  return new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' });
}
