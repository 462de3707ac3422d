// Searches of logs that one has saved: to choose one, to save what is set, to rename and delete.
import { Button, NativeSelect } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import type { LogFilter, LogFilterState } from './log-filters.tsx';

export type SavedSearch = OperationTypes['listLogSearches']['result']['searches'][number];

const SearchDialog = lazy(async () => ({
  default: (await import('./saved-search-dialog.tsx')).SavedSearchDialog,
}));

const textOf = (filter: LogFilter) =>
  JSON.stringify(Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1)));

type SavedSearchesProps = Pick<LogFilterState, 'wanted' | 'isNarrowed' | 'show' | 'clear'>;

export function SavedSearches({ wanted, isNarrowed, show, clear }: SavedSearchesProps) {
  const { data } = useOperation('listLogSearches', {});
  const [dialog, setDialog] = useState<'never' | 'open' | 'closed'>('never');
  const saved = data?.searches ?? [];
  const text = textOf(wanted);
  const chosen = saved.find(({ filter }) => textOf(filter) === text);
  const choose = (id: string) => {
    const search = saved.find((one) => String(one.id) === id);
    if (search) show(search.filter);
    else clear();
  };
  return (
    <>
      {saved.length === 0 ? null : (
        <NativeSelect
          size="xs"
          aria-label="Saved searches"
          data={[
            { value: '', label: 'Saved searches' },
            ...saved.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={chosen === undefined ? '' : String(chosen.id)}
          onChange={(event) => choose(event.target.value)}
        />
      )}
      {chosen || (isNarrowed && data) ? (
        <Button variant="default" size="compact-xs" onClick={() => setDialog('open')}>
          {chosen ? 'Rename or delete' : 'Save search'}
        </Button>
      ) : null}
      {dialog === 'never' ? null : (
        <Suspense fallback={null}>
          <SearchDialog
            opened={dialog === 'open'}
            search={chosen}
            filter={wanted}
            onClose={() => setDialog('closed')}
          />
        </Suspense>
      )}
    </>
  );
}
