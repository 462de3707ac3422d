// How a form in a dialog ends: what is wrong with it, what the server said against it, its button and the way back.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import classes from './form.module.css';
import { FormError } from './form-error.tsx';

interface FormButtonsProps {
  /** What its button does, in words. */
  verb: string;
  isPending: boolean;
  isDisabled?: boolean;
  onCancel: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

export function FormButtons({ verb, isPending, isDisabled = false, onCancel, children }: FormButtonsProps) {
  return (
    <div className={classes.actions}>
      <Button type="submit" loading={isPending} disabled={isDisabled}>
        {verb}
      </Button>
      <Button variant="subtle" onClick={onCancel}>
        Cancel
      </Button>
      {children}
    </div>
  );
}

interface FormEndProps extends FormButtonsProps {
  /** What has to be mended before it is sent. */
  fault?: string | undefined;
  error: ApiError | null;
}

export function FormEnd({ fault, error, ...buttons }: FormEndProps) {
  return (
    <>
      {fault === undefined ? null : (
        <p role="alert" className={classes.fault}>
          {fault}
        </p>
      )}
      <FormError error={error} />
      <FormButtons {...buttons} />
    </>
  );
}
