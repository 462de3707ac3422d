// The window of time that a page shows, kept in its address. Each change is a step of the browser's history, so that
// "back" undoes it; a window up to now follows the clock of the server.
import { useSyncExternalStore } from 'react';
import { useSearchParams } from 'react-router';
import { currentSecond, subscribeToSeconds } from './clock.ts';
import { type Range, readTime, type TimeState, type Window, windowAt, writeTime } from './time-window.ts';
import type { Zone } from './zone.ts';

export interface PageTime {
  state: TimeState;
  window: Window;
  /** Whether the window follows the clock. */
  isLive: boolean;
  showRange: (range: Range) => void;
  showWindow: (window: Window) => void;
  showZone: (zone: Zone) => void;
}

/** `usual`: shown where the address says nothing. */
export function usePageTime(usual: Range = '1h'): PageTime {
  const [search, setSearch] = useSearchParams();
  const state = readTime(search, usual);
  // A number, so that it is drawn again only when the window has moved on.
  const end = useSyncExternalStore(subscribeToSeconds, () => windowAt(state, currentSecond() * 1000).to);
  const set = (next: Partial<TimeState>, replace = false) =>
    setSearch((before) => writeTime(before, { ...readTime(before, usual), ...next }, usual), {
      preventScrollReset: true,
      replace,
    });
  return {
    state,
    window: windowAt(state, end),
    isLive: state.fixed === undefined,
    showRange: (range) => set({ range, fixed: undefined }),
    showWindow: (fixed) => set({ fixed }),
    showZone: (zone) => set({ zone }, true),
  };
}
