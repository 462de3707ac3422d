// A window of time that stands still while somebody reads what is listed of it. Guards: rows do not change their places
// under the eyes, the pointer or the focus of a reader; nobody takes figures of a while ago for those of now.

import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../../lib/clock.ts';
import type { Window } from '../../lib/time-window.ts';
import { MINUTE_MS } from '../../lib/units.ts';

/** Scrolled into, under the pointer, or with the focus in it. */
function isRead(element: HTMLElement | null): boolean {
  // Nothing is asked for a page that nobody sees.
  if (document.hidden) return true;
  if (!element) return false;
  return (
    element.getBoundingClientRect().top < 0 ||
    element.matches(':hover') ||
    element.contains(document.activeElement)
  );
}

export interface HeldWindow {
  window: Window;
  /** Figures of later are there, which are not shown while somebody reads. */
  isBehind: boolean;
  /** Shows them. */
  renew: () => void;
}

/** `rows`: what is read of it. A window that follows the clock ends at the last whole minute, or the last whole step. */
export function useHeldWindow(
  { from, to }: Window,
  { isLive, stepMs = MINUTE_MS }: { isLive: boolean; stepMs?: number },
  rows: RefObject<HTMLElement | null>,
): HeldWindow {
  const step = useSyncExternalStore(subscribeToSeconds, () =>
    isLive ? Math.floor((currentSecond() * 1000) / stepMs) * stepMs : 0,
  );
  const end = isLive ? Math.min(to, step) : to;
  const length = to - from;
  const [kept, setKept] = useState(end);
  // Another length is another question, and so is a window that does not follow the clock.
  const [asked, setAsked] = useState({ length, isLive });
  const isOther = asked.length !== length || asked.isLive !== isLive || (!isLive && kept !== end);
  if (isOther) {
    setAsked({ length, isLive });
    setKept(end);
  }
  const shown = isOther ? end : kept;
  useEffect(() => {
    if (shown !== end && !isRead(rows.current)) setKept(end);
  }, [shown, end, rows]);
  return { window: { from: shown - length, to: shown }, isBehind: shown !== end, renew: () => setKept(end) };
}
