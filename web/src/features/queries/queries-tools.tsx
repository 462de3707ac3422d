// What is looked for among the statements, and the list as a file.
import { NativeSelect } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { countOf, formatCount } from '../../lib/format.ts';
import { download, fileName } from '../../ui/download.ts';
import { ExportButtons } from '../../ui/export-buttons.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import classes from './queries.module.css';
import { asCsv, asJson, type Export, fetchAll } from './queries-export.ts';
import type { Wanted } from './queries-list.ts';

export interface FiltersProps {
  id: number;
  /** As it is typed. */
  text: string;
  wanted: Wanted;
  onText: (text: string) => void;
  onDatabase: (database: string) => void;
  onOwn: (own: '' | 'without') => void;
}

export function QueriesFilters({ id, text, wanted, onText, onDatabase, onOwn }: FiltersProps) {
  const info = useOperation('getServerInfo', { params: { connection_id: id } }, { staleMs: 60_000 }).data;
  const names = new Set(info?.databases.map(({ name }) => name));
  if (wanted.database !== '') names.add(wanted.database);
  return (
    <search className={classes.filters} aria-label="Filters">
      <SearchField label="Search statements" value={text} onChange={onText} />
      <NativeSelect
        aria-label="Database"
        data={[{ value: '', label: 'Every database' }, ...[...names].sort()]}
        value={wanted.database}
        onChange={(event) => onDatabase(event.target.value)}
      />
      <NativeSelect
        aria-label="Whose"
        data={[
          { value: '', label: 'Whoever sent them' },
          { value: 'without', label: 'Without those of Matriarch' },
        ]}
        value={wanted.isWithoutOwn ? 'without' : ''}
        onChange={(event) => onOwn(event.target.value === 'without' ? 'without' : '')}
      />
    </search>
  );
}

/** All statements that match, as files. */
export function QueriesExport({ id, window, wanted }: Omit<Export, 'onPart' | 'signal'>) {
  const [said, setSaid] = useState('');
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (ending: 'csv' | 'json') => {
    const stop = new AbortController();
    running.current = stop;
    const { signal } = stop;
    const onPart = (count: number, total: number) =>
      setSaid(`${formatCount(count)} of ${countOf(total, 'statement')}`);
    try {
      const all = await fetchAll({ id, window, wanted, onPart, signal });
      const content = ending === 'csv' ? asCsv(all) : asJson(all, { id, window });
      download(content, fileName(`statements ${id}`, window, ending));
      if (all.statements.length < all.total)
        setSaid(`The first ${formatCount(all.statements.length)} of ${countOf(all.total, 'statement')}`);
    } catch (error) {
      if (signal.aborted) return setSaid('Stopped: no file was made.');
      setSaid(error instanceof ApiError ? error.message : 'The file could not be made.');
    }
  };
  return <ExportButtons said={said} onSave={save} onStop={() => running.current?.abort()} />;
}
