// Renaming in place: Enter saves, Escape leaves it as it was. A refusal keeps what was typed.
import { ActionIcon, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CloseIcon, DoneIcon } from '../../ui/icons.ts';
import classes from './clusters.module.css';

export interface RenameFieldProps {
  label: string;
  name: string;
  isBusy: boolean;
  onSave: (name: string) => Promise<boolean>;
  onDone: () => void;
}

export function RenameField({ label, name, isBusy, onSave, onDone }: RenameFieldProps) {
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const wanted = text.trim();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (wanted === name) onDone();
    else if (wanted !== '' && (await onSave(wanted))) onDone();
  };
  return (
    <form className={classes.rename} onSubmit={submit}>
      <TextInput
        ref={field}
        size="xs"
        aria-label={label}
        value={text}
        maxLength={255}
        error={wanted === '' ? 'Give it a name.' : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      <ActionIcon type="submit" variant="default" size={28} aria-label="Save the name" loading={isBusy}>
        <DoneIcon size={15} />
      </ActionIcon>
      <ActionIcon variant="subtle" size={28} aria-label="Keep the old name" onClick={onDone}>
        <CloseIcon size={15} />
      </ActionIcon>
    </form>
  );
}
