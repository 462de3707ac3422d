// All rows of a long list that match as files, and not only those on the screen; it says how far it is, and can be stopped.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import type { ReadPart } from '../../api/parts.ts';
import { countOf, formatCount } from '../../lib/format.ts';
import { download } from '../download.ts';
import { ExportButtons } from '../export-buttons.tsx';
import { type Fetched, fetchAll } from './fetch-all.ts';

export interface ListExportProps<Row> {
  read: ReadPart<Row>;
  /** Rows of a part. */
  size: number;
  /** What a row is, and several of them. */
  words: readonly [string, string];
  fileOf: (all: Fetched<Row>, ending: 'csv' | 'json') => { content: Blob; name: string };
}

export function ListExport<Row>({ read, size, words, fileOf }: ListExportProps<Row>) {
  const [said, setSaid] = useState('');
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (ending: 'csv' | 'json') => {
    const stop = new AbortController();
    running.current = stop;
    const { signal } = stop;
    const onPart = (count: number, total: number) =>
      setSaid(`${formatCount(count)} of ${countOf(total, ...words)}`);
    try {
      const all = await fetchAll({ read, size, onPart, signal });
      const { content, name } = fileOf(all, ending);
      download(content, name);
      if (all.rows.length < all.total)
        setSaid(`The first ${formatCount(all.rows.length)} of ${countOf(all.total, ...words)}`);
    } catch (error) {
      if (signal.aborted) return setSaid('Stopped: no file was made.');
      setSaid(error instanceof ApiError ? error.message : 'The file could not be made.');
    }
  };
  return <ExportButtons said={said} onSave={save} onStop={() => running.current?.abort()} />;
}
