// The field for a code of an authenticator app, or for a recovery code in its place.
import { TextInput } from '@mantine/core';
import { typed } from '../../../ui/field.ts';

export interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Takes the focus when it comes. */
  isFirst?: boolean;
  /** While a second factor is set up, no recovery code counts. */
  appOnly?: boolean;
}

export function CodeField({ value, onChange, isFirst = false, appOnly = false }: CodeFieldProps) {
  return (
    <TextInput
      data-mantine-stop-propagation="true"
      label="Code"
      description={
        appOnly
          ? 'The 6 digits that your app shows now.'
          : 'The 6 digits in your authenticator app, or a recovery code.'
      }
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      required
      withAsterisk={false}
      autoFocus={isFirst}
      maxLength={64}
      {...typed(value, onChange)}
    />
  );
}
