// The last question before something goes: what happens in plain words, a button that names the deed, a way back.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../../../api/client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import classes from './rbac.module.css';

export interface DeleteDialogProps {
  opened: boolean;
  title: string;
  /** What happens, one sentence each. */
  facts: readonly ReactNode[];
  verb: string;
  error: ApiError | null;
  isPending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeleteDialog(props: DeleteDialogProps) {
  return (
    <Dialog title={props.title} opened={props.opened} onClose={props.onClose}>
      <div className={classes.form}>
        <FormError error={props.error} />
        <ul className={classes.facts}>
          {props.facts.map((fact, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of one dialog never change places
            <li key={at}>{fact}</li>
          ))}
        </ul>
        <div className={classes.actions}>
          <Button color="red" loading={props.isPending} onClick={props.onConfirm}>
            {props.verb}
          </Button>
          <Button variant="subtle" data-autofocus onClick={props.onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
