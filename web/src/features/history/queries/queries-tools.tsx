// What is looked for among the statements.
import { Checkbox, NativeSelect } from '@mantine/core';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { SearchField } from '../../../ui/search-field.tsx';
import type { QueriesFilter } from './queries-list.ts';

export interface FiltersProps {
  id: number;
  /** As it is typed. */
  text: string;
  wanted: QueriesFilter;
  onText: (text: string) => void;
  onDatabase: (database: string) => void;
  onOwn: (own: '' | 'with') => void;
}

export function QueriesFilters({ id, text, wanted, onText, onDatabase, onOwn }: FiltersProps) {
  const info = useOperation('getServerInfo', { params: { connection_id: id } }, { staleMs: 60_000 }).data;
  const names = new Set(info?.databases.map(({ name }) => name));
  if (wanted.database !== '') names.add(wanted.database);
  return (
    <search className={layout.tableFilters} aria-label="Filters">
      <SearchField label="Search statements" value={text} onChange={onText} />
      <NativeSelect
        aria-label="Database"
        data={[{ value: '', label: 'Every database' }, ...[...names].sort()]}
        value={wanted.database}
        onChange={(event) => onDatabase(event.target.value)}
      />
      <Checkbox
        label="With those of Matriarch"
        checked={!wanted.isWithoutOwn}
        onChange={(event) => onOwn(event.target.checked ? 'with' : '')}
      />
    </search>
  );
}
