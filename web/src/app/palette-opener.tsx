// Opens the palette: Ctrl+K (⌘K) from anywhere, or the button in the top bar. Its code is fetched when it is opened first. Guards: what
// is typed until its field has the cursor is in the field then, and nowhere else.
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { SearchIcon } from '../ui/icons.ts';
import classes from './palette.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

export function PaletteOpener() {
  const [opened, setOpened] = useState(false);
  /** Stays once it was there, so that it can fade. */
  const [isNeeded, setNeeded] = useState(false);
  /** Typed since it was opened; undefined where its field has the cursor. */
  const ahead = useRef<string>(undefined);
  const open = () => {
    ahead.current = '';
    setNeeded(true);
    setOpened(true);
  };
  const close = () => {
    ahead.current = undefined;
    setOpened(false);
  };
  const takeAhead = () => {
    const text = ahead.current ?? '';
    ahead.current = undefined;
    return text;
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const hasControl = event.ctrlKey || event.metaKey;
      if (event.key.toLowerCase() === 'k' && hasControl && !event.altKey) {
        if (!opened) ahead.current = '';
        setNeeded(true);
        setOpened(true);
      } else if (ahead.current === undefined || hasControl || event.key.length > 1) return;
      else ahead.current += event.key;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [opened]);
  return (
    <>
      <button type="button" className={classes.opener} onClick={open}>
        <SearchIcon size={15} aria-hidden="true" />
        <span className={classes.openerText}>
          Find <span className={classes.keys}>{KEYS}</span>
        </span>
      </button>
      {isNeeded ? (
        <Suspense fallback={null}>
          <Palette opened={opened} onClose={close} takeAhead={takeAhead} />
        </Suspense>
      ) : null}
    </>
  );
}
