// Making a group, or naming and describing one anew.
import { Checkbox, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import { FormButtons } from '../../../ui/form-end.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import type { GroupDetail } from './types.ts';

export interface GroupFormProps {
  /** Undefined: a new one. */
  group?: GroupDetail;
  onClose: () => void;
}

function GroupForm({ group, onClose }: GroupFormProps) {
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const [requires_second_factor, setRequired] = useState(group?.requires_second_factor ?? false);
  const [tried, setTried] = useState(false);
  const navigate = useNavigate();
  const create = useOperationMutation('createGroup');
  const update = useOperationMutation('updateGroup');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() === '') return;
    if (group) {
      const body = { name, description, requires_second_factor };
      update.mutate({ params: { id: group.id }, body }, { onSuccess: onClose });
      return;
    }
    const body = { name, ...(description !== '' && { description }), requires_second_factor };
    create.mutate({ body }, { onSuccess: ({ id }) => navigate(`/admin/groups/${id}`) });
  };
  return (
    <form className={layout.fields} onSubmit={submit} noValidate autoComplete="off">
      <FormError error={create.error ?? update.error} />
      <TextInput
        label="Name"
        data-autofocus
        maxLength={255}
        error={tried && name.trim() === '' ? 'Type a name.' : undefined}
        {...typed(name, setName)}
      />
      <TextInput label="Description" maxLength={4000} {...typed(description, setDescription)} />
      <Checkbox
        label="Require a second factor"
        description="Members with a password must set one up at their next request. Members of groups below count too."
        {...ticked(requires_second_factor, setRequired)}
      />
      <FormButtons
        verb={group ? 'Save' : 'Add'}
        isPending={create.isPending || update.isPending}
        onCancel={onClose}
      />
    </form>
  );
}

export function GroupDialog({ opened, ...form }: GroupFormProps & { opened: boolean }) {
  return (
    <Dialog
      title={form.group ? `Change ${form.group.name}` : 'Add a group'}
      opened={opened}
      onClose={form.onClose}
    >
      <GroupForm {...form} />
    </Dialog>
  );
}
