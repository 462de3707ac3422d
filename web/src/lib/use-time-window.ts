// The window of time that a page shows, kept in its address. Each change is a step of the browser's history, so that
// "back" undoes it; a window up to now follows the clock of the server.
import { createContext, use, useMemo, useSyncExternalStore } from 'react';
import { useSearchParams } from 'react-router';
import { currentSecond, subscribeToSeconds } from './clock.ts';
import {
  CALM_STEP_MS,
  type Comparison,
  type Range,
  readMoment,
  readTime,
  type TimeState,
  type Window,
  windowAt,
  writeMoment,
  writeTime,
} from './time-window.ts';
import type { Zone } from './zone.ts';

export interface PageTime {
  state: TimeState;
  window: Window;
  /** Whether the window follows the clock. */
  isLive: boolean;
  /** Of which the state is shown, never ahead of the clock; undefined: of now. */
  moment: number | undefined;
  showMoment: (at: number) => void;
  showRange: (range: Range) => void;
  showWindow: (window: Window) => void;
  showZone: (zone: Zone) => void;
  showComparison: (compare: Comparison | undefined) => void;
}

/** The window, moved so that it holds the moment. */
function movedTo({ from, to }: Window, at: number): Window {
  const by = at < from ? at - from : at > to ? at - to : 0;
  const whole = (ms: number) => Math.round((ms + by) / 1000) * 1000;
  return { from: whole(from), to: whole(to) };
}

/** What the pages below show where the address says nothing, unless they say it themselves. */
export const UsualRange = createContext<Range>('1h');

/** `own`: shown where the address says nothing. */
export function usePageTime(own?: Range): PageTime {
  const given = use(UsualRange);
  const usual = own ?? given;
  const [search, setSearch] = useSearchParams();
  const state = readTime(search, usual);
  const step = search.has('range') ? undefined : CALM_STEP_MS;
  // A number, so that it is drawn again only when the window has moved on.
  const end = useSyncExternalStore(
    subscribeToSeconds,
    () => windowAt(state, currentSecond() * 1000, step).to,
  );
  const set = (
    next: Partial<TimeState>,
    {
      replace = false,
      at,
      keepsMoment = replace,
    }: { replace?: boolean; at?: number; keepsMoment?: boolean } = {},
  ) =>
    setSearch(
      (before) => {
        const after = writeTime(before, { ...readTime(before, usual), ...next }, usual);
        return keepsMoment ? after : writeMoment(after, at);
      },
      { preventScrollReset: true, replace },
    );
  const asked = readMoment(search, state);
  // Settled once: a window may end ahead of the clock.
  const moment = useMemo(
    () => (asked === undefined ? undefined : Math.min(asked, currentSecond() * 1000)),
    [asked],
  );
  const window = windowAt(state, end, step);
  return {
    state,
    window,
    isLive: state.fixed === undefined,
    moment,
    // The window stands still from then on, and moves where the moment lies beyond it.
    showMoment: (at) => set({ fixed: movedTo(window, at) }, { at }),
    showRange: (range) => set({ range, fixed: undefined }),
    showWindow: (fixed) => set({ fixed }),
    showZone: (zone) => set({ zone }, { replace: true }),
    showComparison: (compare) => set({ compare }, { keepsMoment: true }),
  };
}
