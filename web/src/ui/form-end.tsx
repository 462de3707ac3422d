// How a form in a dialog ends: what is wrong with it, what the server said against it, its button and the way back.
import { Button } from '@mantine/core';
import type { ApiError } from '../api/client.ts';
import classes from './form.module.css';
import { FormError } from './form-error.tsx';

interface FormEndProps {
  /** What its button does, in words. */
  verb: string;
  /** What has to be mended before it is sent. */
  fault?: string | undefined;
  error: ApiError | null;
  isPending: boolean;
  isDisabled?: boolean;
  onCancel: () => void;
}

export function FormEnd({ verb, fault, error, isPending, isDisabled = false, onCancel }: FormEndProps) {
  return (
    <>
      {fault === undefined ? null : (
        <p role="alert" className={classes.fault}>
          {fault}
        </p>
      )}
      <FormError error={error} />
      <div className={classes.actions}>
        <Button type="submit" loading={isPending} disabled={isDisabled}>
          {verb}
        </Button>
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  );
}
