// A text field that offers values while one types. Guards: Enter takes what is offered or ends the typing, and never sends the form
// around it; Escape puts the list away, and never the dialog with all that was typed in it.
import { TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useId } from 'react';
import { typed } from './field.ts';

export interface Offered {
  value: string;
  label?: string;
}

export interface SuggestFieldProps
  extends Pick<TextInputProps, 'label' | 'description' | 'error' | 'maxLength'> {
  value: string;
  offered: readonly Offered[];
  onChange: (value: string) => void;
}

const keepForm = (event: KeyboardEvent) => {
  if (event.key === 'Enter') event.preventDefault();
};

export function SuggestField({ value, offered, onChange, ...field }: SuggestFieldProps) {
  const id = useId();
  return (
    <>
      <TextInput
        {...field}
        list={id}
        autoComplete="off"
        spellCheck={false}
        {...typed(value, onChange)}
        onKeyDown={keepForm}
        // What the dialog looks for before it closes on Escape.
        data-mantine-stop-propagation="true"
      />
      <datalist id={id}>
        {offered.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </datalist>
    </>
  );
}
