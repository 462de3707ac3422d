// The last question before something goes: what happens in plain words, a button that names the deed, a way back.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { Dialog } from './dialog.tsx';
import classes from './form.module.css';
import { FormError } from './form-error.tsx';

interface QuestionProps {
  opened: boolean;
  title: string;
  verb: string;
  /** What is done after a yes; it forgets what the server said against it when the question closes. */
  deed: { error: ApiError | null; isPending: boolean; reset: () => void };
  onConfirm: () => void;
  onClose: () => void;
  /** What happens. */
  children: ReactNode;
}

export function Question({ opened, title, verb, deed, children, ...on }: QuestionProps) {
  const close = () => {
    deed.reset();
    on.onClose();
  };
  return (
    <Dialog title={title} opened={opened} onClose={close}>
      <div className={classes.form}>
        <FormError error={deed.error} />
        {children}
        <div className={classes.actions}>
          <Button color="red" loading={deed.isPending} onClick={on.onConfirm}>
            {verb}
          </Button>
          <Button variant="subtle" data-autofocus onClick={close}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
