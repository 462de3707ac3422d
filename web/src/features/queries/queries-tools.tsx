// What is looked for among the statements, and the list as a file.
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { formatCount } from '../../lib/format.ts';
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
export function QueriesExport({ id, window, wanted }: Omit<Export, 'onPart'>) {
  const [said, setSaid] = useState('');
  const save = async (ending: 'csv' | 'json') => {
    try {
      const all = await fetchAll({
        id,
        window,
        wanted,
        onPart: (count, total) => setSaid(`${formatCount(count)} of ${formatCount(total)} statements`),
      });
      const content = ending === 'csv' ? asCsv(all) : asJson(all, { id, window });
      download(content, fileName(`statements ${id}`, window, ending));
    } catch (error) {
      setSaid(error instanceof ApiError ? error.message : 'The file could not be made.');
    }
  };
  return <ExportButtons said={said} onSave={save} />;
}
