// A dialog around a form. Guards: Enter in a field never sends the form, only its button does; Escape, a click outside and Cancel ask
// before what was typed is lost.
import { Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './dialog.module.css';
import { Dialog, type DialogProps } from './dialog.tsx';

export interface DraftForm {
  /** Says whether anything would be lost. */
  onDraft: (isChanged: boolean) => void;
  /** Asks first where something would be lost. */
  onCancel: () => void;
  /** Closes at once, after it was saved. */
  onSaved: () => void;
}

/** Tells the dialog whether the draft differs from the one that the form began with. */
export function useDraftGuard(draft: unknown, onDraft: DraftForm['onDraft']): void {
  const text = JSON.stringify(draft);
  const first = useRef(text);
  const isChanged = text !== first.current;
  useEffect(() => onDraft(isChanged), [isChanged, onDraft]);
}

function Question({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div role="alertdialog" aria-label="Discard your changes?" className={classes.question}>
      <p>Discard your changes?</p>
      <Button ref={keep} size="xs" variant="default" onClick={onKeep}>
        Keep editing
      </Button>
      <Button size="xs" color="red" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}

const keepForm = (event: KeyboardEvent) => {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
};

export interface DraftDialogProps extends Pick<DialogProps, 'title' | 'opened' | 'onClose'> {
  children: (form: DraftForm) => ReactNode;
}

export function DraftDialog({ title, opened, onClose, children }: DraftDialogProps) {
  const isChanged = useRef(false);
  const before = useRef<Element | null>(null);
  const [asks, setAsks] = useState(false);
  const [onDraft] = useState(() => (changed: boolean) => {
    isChanged.current = changed;
  });
  const close = () => {
    isChanged.current = false;
    setAsks(false);
    onClose();
  };
  const keep = () => {
    setAsks(false);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  const cancel = () => {
    if (asks) keep();
    else if (isChanged.current) {
      before.current = document.activeElement;
      setAsks(true);
    } else close();
  };
  return (
    <Dialog title={title} opened={opened} onClose={cancel} size="lg">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields in it, which have the focus */}
      <div onKeyDown={keepForm}>{children({ onDraft, onCancel: cancel, onSaved: close })}</div>
      {asks ? <Question onDiscard={close} onKeep={keep} /> : null}
    </Dialog>
  );
}
