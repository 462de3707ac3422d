// Opens the palette: Ctrl+K (⌘K) from anywhere, or the button in the top bar. Its code is fetched when it is opened first.
import { lazy, Suspense, useEffect, useState } from 'react';
import { SearchIcon } from '../ui/icons.ts';
import classes from './palette.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

export function PaletteOpener() {
  const [opened, setOpened] = useState(false);
  /** Stays once it was there, so that it can fade. */
  const [isNeeded, setNeeded] = useState(false);
  const open = () => {
    setNeeded(true);
    setOpened(true);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setNeeded(true);
      setOpened(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
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
          <Palette opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
