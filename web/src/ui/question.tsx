// The last question before something goes: what happens in plain words, a button that names the deed, a way back.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Input, OperationId } from '../api/client.ts';
import { useOperationMutation } from '../api/use-operation.ts';
import { Dialog } from './dialog.tsx';
import classes from './form.module.css';
import { FormError } from './form-error.tsx';

/** Operations that need nothing but an id. */
type IdOperation = {
  [K in OperationId]: { params: { id: number } } extends Input<K> ? K : never;
}[OperationId];

export interface QuestionProps {
  title: string;
  verb: string;
  /** What is done after a yes; it forgets what the server said against it when the question closes. */
  operation: IdOperation;
  /** To what it is done; undefined: nothing is asked. */
  id: number | undefined;
  /** After it was done, in place of `onClose`. */
  onDone?: () => unknown;
  onClose: () => void;
  /** What happens. */
  children: ReactNode;
}

export function Question({ title, verb, operation, id, children, onClose, onDone = onClose }: QuestionProps) {
  const deed = useOperationMutation<IdOperation>(operation);
  const close = () => {
    deed.reset();
    onClose();
  };
  return (
    <Dialog title={title} opened={id !== undefined} onClose={close}>
      <div className={classes.form}>
        <FormError error={deed.error} />
        {children}
        <div className={classes.actions}>
          <Button
            color="red"
            loading={deed.isPending}
            onClick={() =>
              id !== undefined && deed.mutate({ params: { id } }, { onSuccess: () => void onDone() })
            }
          >
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
