// Deleting asks for the name, because what is deleted is also the memory of that server.
import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { dropDrafts } from '../../../ui/draft.tsx';
import { typed } from '../../../ui/field.ts';
import { FormEnd } from '../../../ui/form-end.tsx';
import { DeleteIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import classes from './connection-form.module.css';

function Confirm({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useOperationMutation('deleteConnection');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text !== name) return;
    try {
      await remove.mutateAsync({ params: { id } });
    } catch {
      return;
    }
    dropDrafts();
    await navigate('/');
    await client.invalidateQueries({ queryKey: ['getEstate'] });
  };
  return (
    <form className={layout.fields} onSubmit={submit} data-confirms>
      <p>
        Collection stops at once, and everything that was collected from <strong>{name}</strong> is removed.
        The server itself is not touched.
      </p>
      <TextInput
        data-autofocus
        label={`Type ${name} to confirm`}
        autoComplete="off"
        spellCheck={false}
        {...typed(text, setText)}
      />
      <FormEnd
        verb="Delete the connection"
        error={remove.error}
        isPending={remove.isPending}
        isDisabled={text !== name}
        isDangerous
        onCancel={onClose}
      />
    </form>
  );
}

export function DeleteConnection({ id, name }: { id: number; name: string }) {
  const [asking, setAsking] = useState(false);
  return (
    <Panel title="Delete">
      <div className={classes.danger}>
        <p>Stops collection and removes what was collected. To pause only, switch monitoring off above.</p>
        <Button
          variant="outline"
          color="red"
          leftSection={<DeleteIcon size={16} />}
          onClick={() => setAsking(true)}
        >
          Delete…
        </Button>
      </div>
      <Dialog title={`Delete ${name}?`} opened={asking} onClose={() => setAsking(false)}>
        <Confirm id={id} name={name} onClose={() => setAsking(false)} />
      </Dialog>
    </Panel>
  );
}
