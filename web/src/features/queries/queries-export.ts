// The statements of a list as a file, all that match and not only those on the screen. Guards: the file says of when it
// is; a list that is longer than what is fetched says so instead of ending quietly.
import { callCounted } from '../../api/client.ts';
import { csvText } from '../../lib/csv.ts';
import type { Window } from '../../lib/time-window.ts';
import { askedFor, PART, type Statement, type Wanted } from './queries-list.ts';

/** More would make a file that few programs open. */
const MOST = 10_000;

export interface Fetched {
  statements: Statement[];
  total: number;
}

export interface Export {
  id: number;
  window: Window;
  wanted: Wanted;
  /** Told after each part. */
  onPart: (count: number, total: number) => void;
  /** Ends it. */
  signal: AbortSignal;
}

export async function fetchAll({ id, window, wanted, onPart, signal }: Export): Promise<Fetched> {
  const statements: Statement[] = [];
  const asked = askedFor(id, window, wanted);
  for (let offset = 0; ; offset += PART) {
    const { rows, total } = await callCounted(
      'listTopQueries',
      { query: { ...asked, limit: PART, offset } },
      signal,
    );
    for (const row of rows) statements.push(row);
    const all = total ?? statements.length;
    onPart(statements.length, all);
    if (rows.length < PART || statements.length >= Math.min(all, MOST)) return { statements, total: all };
  }
}

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

export function asCsv({ statements }: Fetched): Blob {
  return new Blob([csvText([COLUMNS, ...statements.map(cellsOf)])], { type: 'text/csv' });
}

export function asJson({ statements, total }: Fetched, { id, window }: Pick<Export, 'id' | 'window'>): Blob {
  const content = {
    connection_id: id,
    start_time: new Date(window.from).toISOString(),
    end_time: new Date(window.to).toISOString(),
    total_count: total,
    statements,
  };
  return new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' });
}
