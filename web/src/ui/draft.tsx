// What was changed in a form and is not saved. Guards: Escape, a click outside, Cancel, the back button and closing the tab ask before
// it is lost; Enter in a field sends the form from its last text field only, so that nothing is sent half filled in.
import { Button } from '@mantine/core';
import { createContext, type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useBlocker } from 'react-router';
import classes from './dialog.module.css';

/** Leaves the form around, after a question where something would be lost; undefined: there is no guard around. */
export const LeaveContext = createContext<(() => void) | undefined>(undefined);

/** What is typed to confirm a deed is no work. */
const FORM = 'form:not([data-confirms])';
const FIELDS = ['input:not([type=search]):not([type=range])', 'textarea', 'select', '[aria-pressed]']
  .map((field) => `${FORM} ${field}`)
  .join();
const TICKS = new Set(['checkbox', 'radio']);
/** A chart in a form has a slider for its cursor, which is no field of it. */
const UNTYPED = new Set([...TICKS, 'range', 'file', 'button', 'submit', 'hidden']);

function fieldState(field: Element) {
  if (field instanceof HTMLInputElement) return TICKS.has(field.type) ? field.checked : field.value;
  if (field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement) return field.value;
  return field.getAttribute('aria-pressed');
}

/** Of all fields and pressed buttons of the forms in it. */
const valuesOf = (root: Element) => JSON.stringify([...root.querySelectorAll(FIELDS)].map(fieldState));

const isText = (field: Element) =>
  field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && !UNTYPED.has(field.type));

/** For the keys of a form. */
export function keepHalfDone(event: KeyboardEvent) {
  const { target } = event;
  if (event.key !== 'Enter' || !(target instanceof HTMLInputElement)) return;
  const texts = [...(target.form?.elements ?? [])].filter(isText);
  if (texts.length > 0 && target !== texts.at(-1)) event.preventDefault();
}

export function useDraft() {
  const root = useRef<Element>(null);
  const first = useRef('');
  const [isTouched, setTouched] = useState(false);
  const begin = ({ currentTarget }: SyntheticEvent) => {
    if (isTouched) return;
    root.current = currentTarget;
    first.current = valuesOf(currentTarget);
  };
  const touch = ({ target }: SyntheticEvent) => {
    if (target instanceof Element && target.closest(FORM) !== null) setTouched(true);
  };
  return {
    isTouched,
    /** Whether anything would be lost. */
    isChanged: () =>
      isTouched && root.current?.querySelector(FIELDS) != null && valuesOf(root.current) !== first.current,
    forget: () => setTouched(false),
    events: {
      onFocusCapture: begin,
      onPointerDownCapture: begin,
      onChange: touch,
      onClick: touch,
      onKeyDown: keepHalfDone,
    },
  };
}

export function DiscardQuestion({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    keep.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
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

/** While something may be lost: of several on the screen only one can hold the back button. */
export function BackGuard({ isChanged }: { isChanged: () => boolean }) {
  const blocker = useBlocker(({ historyAction }) => historyAction === 'POP' && isChanged());
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent) => {
      if (isChanged()) event.preventDefault();
    };
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  });
  if (blocker.state !== 'blocked') return null;
  return <DiscardQuestion onDiscard={() => blocker.proceed()} onKeep={() => blocker.reset()} />;
}
