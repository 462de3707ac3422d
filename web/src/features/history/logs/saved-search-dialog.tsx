// Gives a search of logs a name to save it by, or another one; or deletes it.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { typed } from '../../../ui/field.ts';
import classes from '../../../ui/form.module.css';
import { FormEnd } from '../../../ui/form-end.tsx';
import type { LogFilter } from './log-filters.tsx';
import type { SavedSearch } from './saved-searches.tsx';

const LONGEST_NAME = 64;

interface SavedSearchDialogProps {
  opened: boolean;
  /** That is renamed or deleted; undefined: one is saved. */
  search: SavedSearch | undefined;
  filter: LogFilter;
  onClose: () => void;
}

function SearchForm({ search, filter, onClose }: Omit<SavedSearchDialogProps, 'opened'>) {
  const [name, setName] = useState(search?.name ?? '');
  const save = useOperationMutation('saveLogSearch');
  const rename = useOperationMutation('renameLogSearch');
  const remove = useOperationMutation('deleteLogSearch');
  const done = { onSuccess: onClose };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim() };
    if (search) rename.mutate({ params: { id: search.id }, body }, done);
    else save.mutate({ body: { ...body, filter } }, done);
  };
  return (
    <form className={classes.form} onSubmit={send}>
      <TextInput label="Name" data-autofocus maxLength={LONGEST_NAME} {...typed(name, setName)} />
      {search ? null : <p>The filters are saved, not the time. Only you see the search.</p>}
      <FormEnd
        verb={search ? 'Rename' : 'Save'}
        error={save.error ?? rename.error ?? remove.error}
        isPending={save.isPending || rename.isPending}
        isDisabled={name.trim() === ''}
        onCancel={onClose}
      >
        {search ? (
          <Button
            color="red"
            variant="outline"
            loading={remove.isPending}
            onClick={() => remove.mutate({ params: { id: search.id } }, done)}
          >
            Delete
          </Button>
        ) : null}
      </FormEnd>
    </form>
  );
}

export const SavedSearchDialog = ({ opened, ...form }: SavedSearchDialogProps) => (
  <Dialog title={form.search ? 'Saved search' : 'Save this search'} opened={opened} onClose={form.onClose}>
    <SearchForm {...form} />
  </Dialog>
);
