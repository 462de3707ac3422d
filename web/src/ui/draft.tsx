// What was changed in a form and is not saved. Guards: Escape, a click outside, Cancel, the back button, a link and closing the tab ask
// before it is lost; Enter in a field sends the form from its last text field only, so that nothing is sent half filled in.
import { Button } from '@mantine/core';
import {
  createContext,
  type KeyboardEvent,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type BlockerFunction, useBlocker } from 'react-router';
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
function keepHalfDone(event: KeyboardEvent) {
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

interface GuardProps {
  isChanged: () => boolean;
  /** A link to another page asks too; a dialog goes elsewhere by itself when it has done its work. */
  isPage?: boolean;
}

type Move = Parameters<BlockerFunction>[0];

/** Of all forms on the screen that were touched, the newest last: it holds the way out for all of them, since only one can. */
const guards: { loses: (move: Move) => boolean }[] = [];
const listeners = new Set<() => void>();
function onGuards(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
const tellGuards = () => {
  for (const listener of listeners) listener();
};

/** What the forms on the screen are about is no more: nothing is lost with them. */
export const dropDrafts = () => {
  for (const guard of guards) guard.loses = () => false;
};

function Blocker() {
  const blocker = useBlocker((move) => guards.some(({ loses }) => loses(move)));
  if (blocker.state !== 'blocked') return null;
  return <DiscardQuestion onDiscard={() => blocker.proceed()} onKeep={() => blocker.reset()} />;
}

/** Closing the tab and loading it again ask; for what outlives all else. */
export function useUnloadQuestion(isChanged: () => boolean) {
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent) => {
      if (isChanged()) event.preventDefault();
    };
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  });
}

/** While something may be lost. */
export function BackGuard({ isChanged, isPage = false }: GuardProps) {
  const own = useRef<(typeof guards)[number]>({ loses: () => false });
  useEffect(() => {
    own.current.loses = ({ historyAction, currentLocation, nextLocation }) =>
      (historyAction === 'POP' || (isPage && currentLocation.pathname !== nextLocation.pathname)) &&
      isChanged();
  });
  useUnloadQuestion(isChanged);
  useEffect(() => {
    const { current } = own;
    guards.push(current);
    tellGuards();
    return () => {
      guards.splice(guards.indexOf(current), 1);
      tellGuards();
    };
  }, []);
  const holds = useSyncExternalStore(onGuards, () => guards.at(-1) === own.current);
  return holds ? <Blocker /> : null;
}

/** For a form in a page: what it listens to, and what asks before it is left half filled in. `isSent` while it goes, and once it went. */
export function usePageDraft(isSent: boolean) {
  const { events, isTouched, isChanged } = useDraft();
  const guard = isTouched ? <BackGuard isPage isChanged={() => !isSent && isChanged()} /> : null;
  return { events, guard };
}
