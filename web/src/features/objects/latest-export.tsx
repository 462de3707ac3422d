// The newest rows of a probe as a file: all that match, not only those on the screen. Guards: a row that moved while parts
// were fetched stands in the file once; a list that is longer than what is fetched says so.
import { useState } from 'react';
import { ApiError, call, type Input } from '../../api/client.ts';
import { csvText } from '../../lib/csv.ts';
import { formatCount } from '../../lib/format.ts';
import { download, fileName } from '../../ui/download.ts';
import { ExportButtons } from '../../ui/export-buttons.tsx';
import { type Row, readAt } from './rows.ts';

/** As many as the server answers at once. */
export const PART = 100;
/** More would be read from the datastore for minutes. */
const MOST = 10_000;

export type LatestQuery = Input<'getLatestMetrics'>['query'];

export interface LatestExportProps {
  query: LatestQuery;
  title: string;
  /** Several of the rows. */
  many: string;
  rowKey: (row: Row) => string;
}

function contentOf(rows: readonly Row[], ending: 'csv' | 'json'): Blob {
  if (ending === 'json') return new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return null;
    return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
  };
  return new Blob([csvText([names, ...rows.map((row) => names.map((name) => cell(row[name])))])], {
    type: 'text/csv',
  });
}

export function LatestExport({ query, title, many, rowKey }: LatestExportProps) {
  const [said, setSaid] = useState('');
  const save = async (ending: 'csv' | 'json') => {
    const found = new Map<string, Row>();
    try {
      for (let offset = 0; offset < MOST; offset += PART) {
        const part = await call('getLatestMetrics', { query: { ...query, limit: PART, offset } });
        for (const row of part.rows) found.set(rowKey(row), row);
        setSaid(`${formatCount(found.size)} of ${formatCount(part.total_count)} ${many}`);
        if (offset + PART >= part.total_count) break;
      }
      const rows = [...found.values()];
      download(
        contentOf(rows, ending),
        fileName(title, { from: Date.parse(readAt(rows) ?? '') || 0 }, ending),
      );
    } catch (error) {
      setSaid(error instanceof ApiError ? error.message : 'The file could not be made.');
    }
  };
  return <ExportButtons said={said} onSave={save} />;
}
