// Says under a field what it left out: browsers cut what is longer than a field takes without a word.
import { isValidElement, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './limit-note.module.css';

/** What would be longer than the field takes: its limit; undefined: all of it fits. */
function limitOf({ target, data, dataTransfer, inputType }: InputEvent): number | undefined {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return undefined;
  const { maxLength, value, selectionStart, selectionEnd } = target;
  const lines = inputType === 'insertLineBreak' ? 1 : 0;
  const added = data?.length ?? dataTransfer?.getData('text/plain').length ?? lines;
  const kept = value.length - ((selectionEnd ?? 0) - (selectionStart ?? 0));
  return maxLength >= 0 && added > 0 && kept + added > maxLength ? maxLength : undefined;
}

function LimitNote({ children }: { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  const [limit, setLimit] = useState<number>();
  useEffect(() => {
    const field = root.current;
    const look = (event: InputEvent) => setLimit(limitOf(event));
    field?.addEventListener('beforeinput', look);
    return () => field?.removeEventListener('beforeinput', look);
  }, []);
  return (
    <div ref={root} className={classes.field}>
      {children}
      {limit === undefined ? null : (
        <p role="status" className={classes.note}>
          Cut to {limit.toLocaleString('en')} characters, the most that this field takes.
        </p>
      )}
    </div>
  );
}

const hasLimit = (field: ReactNode): boolean =>
  isValidElement<{ maxLength?: number; children?: ReactNode }>(field) &&
  (field.props.maxLength !== undefined || hasLimit(field.props.children));

/** Around each field of a form that has a limit, by the theme. */
export const withLimitNote = (field: ReactNode) => (hasLimit(field) ? <LimitNote>{field}</LimitNote> : field);
