// Deleting asks for the name, because what is deleted is also the memory of that server.
import { Button, Modal, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOperationMutation } from '../../../api/use-operation.ts';
import forms from '../../../ui/form.module.css';
import { DeleteIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { FormFailure } from './connection-fields.tsx';
import classes from './connection-form.module.css';

function Confirm({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useOperationMutation('deleteConnection');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (typed !== name) return;
    try {
      await remove.mutateAsync({ params: { id } });
    } catch {
      return;
    }
    await navigate('/');
    await client.invalidateQueries({ queryKey: ['getEstate'] });
  };
  return (
    <form className={layout.fields} onSubmit={submit}>
      <p>
        Collection stops at once, and everything that was collected from <strong>{name}</strong> is removed.
        The server itself is not touched.
      </p>
      {remove.error ? <FormFailure message={remove.error.message} /> : null}
      <TextInput
        data-autofocus
        label={`Type ${name} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className={forms.actions}>
        <Button type="submit" color="red" disabled={typed !== name} loading={remove.isPending}>
          Delete the connection
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Keep it
        </Button>
      </div>
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
      <Modal.Root opened={asking} onClose={() => setAsking(false)} centered lockScroll={false}>
        <Modal.Overlay backgroundOpacity={0.45} />
        <Modal.Content aria-label={`Delete ${name}?`} radius="md">
          <Modal.Body className={classes.body}>
            <h2 className={classes.question}>Delete {name}?</h2>
            <Confirm id={id} name={name} onClose={() => setAsking(false)} />
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </Panel>
  );
}
