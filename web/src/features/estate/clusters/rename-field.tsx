// Renaming in place: Enter saves, Escape leaves it as it was. A refusal keeps what was typed, and goes with the next key.
// The focus goes back to where it came from, unless somebody took it elsewhere.
import { ActionIcon, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { usePageDraft } from '../../../ui/draft.tsx';
import { CloseIcon, DoneIcon } from '../../../ui/icons.ts';
import { useClusterContext } from './cluster-context.ts';
import classes from './clusters.module.css';

export interface RenameFieldProps {
  label: string;
  name: string;
  isBusy: boolean;
  onSave: (name: string) => Promise<boolean>;
  onDone: () => void;
}

export function RenameField({ label, name, isBusy, onSave, onDone }: RenameFieldProps) {
  const { forget } = useClusterContext().mutations;
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  const { events, guard } = usePageDraft(isBusy);
  useEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    field.current?.select();
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  const leave = () => {
    forget();
    onDone();
  };
  const wanted = text.trim();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (wanted === name) leave();
    else if (wanted !== '' && (await onSave(wanted))) onDone();
  };
  return (
    <form className={classes.rename} {...events} onSubmit={submit}>
      <TextInput
        ref={field}
        size="xs"
        aria-label={label}
        value={text}
        maxLength={255}
        error={wanted === '' ? 'Give it a name.' : undefined}
        onChange={(event) => {
          setText(event.target.value);
          forget();
        }}
        onKeyDown={(event) => event.key === 'Escape' && leave()}
      />
      <ActionIcon type="submit" variant="default" size={28} aria-label="Save the name" loading={isBusy}>
        <DoneIcon size={15} />
      </ActionIcon>
      <ActionIcon variant="subtle" size={28} aria-label="Keep the old name" onClick={leave}>
        <CloseIcon size={15} />
      </ActionIcon>
      {guard}
    </form>
  );
}
