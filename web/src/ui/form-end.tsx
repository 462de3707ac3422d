// How a form in a dialog ends: what is wrong with it, what the server said against it, its button and the way back.
import { Button } from '@mantine/core';
import { type ReactNode, use } from 'react';
import type { ApiError } from '../api/client.ts';
import { LeaveContext } from './draft.tsx';
import classes from './form.module.css';
import { FormError } from './form-error.tsx';

interface FormButtonsProps {
  /** What its button does, in words. */
  verb: string;
  isPending: boolean;
  isDisabled?: boolean;
  isDangerous?: boolean;
  onCancel: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** In a dialog, Cancel asks first where something would be lost. */
export function FormButtons({ verb, isPending, onCancel, children, ...options }: FormButtonsProps) {
  const { isDisabled = false, isDangerous = false } = options;
  const leave = use(LeaveContext) ?? onCancel;
  return (
    <div className={classes.actions}>
      <Button type="submit" loading={isPending} disabled={isDisabled} {...(isDangerous && { color: 'red' })}>
        {verb}
      </Button>
      <Button variant="subtle" onClick={leave}>
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
