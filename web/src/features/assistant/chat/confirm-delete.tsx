// The question before something is deleted for good, in the place of what it is about.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../../../api/client.ts';
import { FormError } from '../../../ui/form-error.tsx';
import classes from './chat.module.css';

export interface ConfirmDeleteProps {
  label: string;
  error: ApiError | null;
  isPending: boolean;
  onSure: () => void;
  onKeep: () => void;
  children: ReactNode;
}

export function ConfirmDelete({ label, error, isPending, onSure, onKeep, children }: ConfirmDeleteProps) {
  return (
    <div role="alertdialog" aria-label={label} className={classes.confirm}>
      <p>{children}</p>
      <FormError error={error} />
      <div className={classes.buttons}>
        <Button size="compact-sm" loading={isPending} onClick={onSure}>
          Delete
        </Button>
        <Button size="compact-sm" variant="default" onClick={onKeep} autoFocus>
          Keep
        </Button>
      </div>
    </div>
  );
}
