// Making or changing a user. What the server refuses is said above the fields, and everything typed stays in them.
import { Button, Checkbox, Group, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { PASSWORD_LENGTH } from '../../../../../server/src/identity/auth/password-length.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import { FormButtons } from '../../../ui/form-end.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { DeleteIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { LENGTH_WORDS } from '../auth/password-rules.ts';
import { useUser } from '../auth/use-user.ts';
import classes from './rbac.module.css';
import type { User } from './types.ts';
import {
  changeBody,
  createBody,
  draftOf,
  NEW_USER,
  problemsOf,
  type UserDraft,
  type UserProblems,
} from './user-values.ts';

interface FieldsProps {
  draft: UserDraft;
  isNew: boolean;
  problems: UserProblems;
  change: (next: Partial<UserDraft>) => void;
}

function NewFields({ draft, problems, change }: FieldsProps) {
  return (
    <>
      <SegmentedControl
        aria-label="Kind of account"
        value={draft.is_service_account ? 'service' : 'person'}
        onChange={(value) => change({ is_service_account: value === 'service' })}
        data={[
          { value: 'person', label: 'Person' },
          { value: 'service', label: 'Service account' },
        ]}
      />
      <p className={classes.remark}>
        {draft.is_service_account
          ? 'For programs: it has no password, cannot sign in, and owns API tokens.'
          : 'Signs in with a user name and a password.'}
      </p>
      <TextInput
        label="User name"
        description="Cannot be changed later."
        autoComplete="off"
        spellCheck={false}
        maxLength={128}
        error={problems.username}
        {...typed(draft.username, (username) => change({ username }))}
      />
    </>
  );
}

function PersonFields({ draft, isNew, problems, change }: FieldsProps) {
  return (
    <>
      {draft.is_service_account ? null : (
        <PasswordInput
          label={isNew ? 'Password' : 'New password'}
          description={
            isNew ? LENGTH_WORDS : 'Empty leaves it as it is; a new one ends all sessions of the user.'
          }
          autoComplete="new-password"
          maxLength={PASSWORD_LENGTH.most}
          error={problems.password}
          {...typed(draft.password, (password) => change({ password }))}
        />
      )}
      <div className={layout.pair}>
        <TextInput
          label="Display name"
          autoComplete="off"
          maxLength={255}
          {...typed(draft.display_name, (display_name) => change({ display_name }))}
        />
        <TextInput
          label="Email"
          autoComplete="off"
          maxLength={255}
          {...typed(draft.email, (email) => change({ email }))}
        />
      </div>
      <TextInput
        label="Note"
        autoComplete="off"
        maxLength={4000}
        {...typed(draft.annotation, (annotation) => change({ annotation }))}
      />
    </>
  );
}

function Switches({ draft, change }: Pick<FieldsProps, 'draft' | 'change'>) {
  const maySet = useUser().data?.is_superuser === true;
  return (
    <>
      <Checkbox
        label="Enabled"
        description="Switched off, the account cannot sign in, its sessions end and its tokens stop."
        {...ticked(draft.enabled, (enabled) => change({ enabled }))}
      />
      <Checkbox
        label="Superuser"
        description={
          maySet
            ? 'May do everything, on every server, those to come too.'
            : 'Only a superuser may make or unmake superusers.'
        }
        disabled={!maySet}
        {...ticked(draft.is_superuser, (is_superuser) => change({ is_superuser }))}
      />
    </>
  );
}

export interface UserFormProps {
  /** Undefined: a new one. */
  user?: User | undefined;
  onClose: () => void;
  onDelete?: () => void;
  onRemoveSecondFactor?: () => void;
  onEndSessions?: () => void;
}

function UserForm({ user, onClose, onDelete, onRemoveSecondFactor, onEndSessions }: UserFormProps) {
  const [before] = useState(user ? draftOf(user) : NEW_USER);
  const [draft, setDraft] = useState(before);
  const [tried, setTried] = useState(false);
  const create = useOperationMutation('createUser');
  const update = useOperationMutation('updateUser');
  const isNew = user === undefined;
  const problems = problemsOf(draft, isNew);
  const change = (next: Partial<UserDraft>) => setDraft((last) => ({ ...last, ...next }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length > 0) return;
    if (isNew) return create.mutate({ body: createBody(draft) }, { onSuccess: onClose });
    const body = changeBody(draft, before);
    if (Object.keys(body).length === 0) return onClose();
    update.mutate({ params: { id: user.id }, body }, { onSuccess: onClose });
  };
  const fields = { draft, isNew, problems: tried ? problems : {}, change };
  return (
    <form className={layout.fields} onSubmit={submit} noValidate autoComplete="off">
      <FormError error={create.error ?? update.error} />
      {isNew ? <NewFields {...fields} /> : null}
      <PersonFields {...fields} />
      <Switches draft={draft} change={change} />
      <Group gap="xs">
        {onEndSessions && !user?.is_service_account ? (
          <Button variant="default" size="compact-sm" onClick={onEndSessions}>
            End all sessions…
          </Button>
        ) : null}
        {user?.has_second_factor && onRemoveSecondFactor ? (
          <Button variant="default" size="compact-sm" onClick={onRemoveSecondFactor}>
            Remove the second factor…
          </Button>
        ) : null}
      </Group>
      <FormButtons
        verb={isNew ? 'Add' : 'Save'}
        isPending={create.isPending || update.isPending}
        onCancel={onClose}
      >
        {onDelete ? (
          <Button
            className={classes.end}
            variant="outline"
            color="red"
            leftSection={<DeleteIcon size={16} />}
            onClick={onDelete}
          >
            Delete…
          </Button>
        ) : null}
      </FormButtons>
    </form>
  );
}

export function UserDialog({ opened, ...form }: UserFormProps & { opened: boolean }) {
  const title = form.user ? `Change ${form.user.username}` : 'Add a user';
  return (
    <Dialog title={title} opened={opened} onClose={form.onClose} size="lg">
      <UserForm {...form} />
    </Dialog>
  );
}
