// Setting the own password, the first or the next one. The rules are the server's; what can be said at once is said
// at once.
import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import classes from './auth-layout.module.css';
import { LENGTH_WORDS, passwordProblem } from './password-rules.ts';

export interface PasswordFormProps {
  username: string;
  askCurrent: boolean;
  submitLabel: string;
  onDone: () => void;
  /** Stands beside the button. */
  children?: ReactNode;
}

export function PasswordForm({ username, askCurrent, submitLabel, onDone, children }: PasswordFormProps) {
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const [tried, setTried] = useState(false);
  const client = useQueryClient();
  const change = useOperationMutation('changeOwnPassword');
  const { events, guard } = usePageDraft(change.isPending || change.isSuccess);
  const problem = passwordProblem(wanted, username);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem) return;
    try {
      await change.mutateAsync({
        body: { new_password: wanted, ...(askCurrent ? { current_password: current } : {}) },
      });
    } catch {
      return;
    }
    setCurrent('');
    setWanted('');
    setTried(false);
    await client.invalidateQueries({ queryKey: ['getUserInfo'] });
    onDone();
  };
  return (
    <form className={layout.fields} {...events} onSubmit={submit} noValidate>
      <FormError error={change.error} />
      <input type="hidden" autoComplete="username" value={username} readOnly />
      {askCurrent ? (
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          maxLength={1024}
          {...typed(current, setCurrent)}
        />
      ) : null}
      <PasswordInput
        label="New password"
        description={LENGTH_WORDS}
        autoComplete="new-password"
        maxLength={1024}
        error={tried ? problem : undefined}
        {...typed(wanted, setWanted)}
      />
      <div className={classes.row}>
        <Button type="submit" loading={change.isPending}>
          {submitLabel}
        </Button>
        {children ? <span className={classes.beside}>{children}</span> : null}
      </div>
      {guard}
    </form>
  );
}
