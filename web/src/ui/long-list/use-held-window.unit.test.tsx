// The window of a list stands still while the list is read, and follows the clock otherwise.

import { act, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noteServerTime } from '../../lib/clock.ts';
import type { Window } from '../../lib/time-window.ts';
import { HOUR_MS } from '../../lib/units.ts';
import { useHeldWindow } from './use-held-window.ts';

const START = Date.parse('2026-11-20T11:00:30Z');
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

function List({ window, isLive }: { window: Window; isLive: boolean }) {
  const rows = useRef<HTMLDivElement>(null);
  const held = useHeldWindow(window, { isLive }, rows);
  const clock = (moment: number) => new Date(moment).toISOString().slice(11, 16);
  return (
    <>
      <p>
        {clock(held.window.from)} to {clock(held.window.to)}
      </p>
      {held.isBehind ? (
        <button type="button" onClick={held.renew}>
          Show up to now
        </button>
      ) : null}
      <div ref={rows}>
        <a href="/x">Row</a>
      </div>
    </>
  );
}

const live = { from: at('10:01:00'), to: at('11:01:00') };
const shown = () => screen.getByText(/^\d.* to /).textContent;
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  // What a server said of the time in another file is not the time of these.
  noteServerTime(new Date().toUTCString());
});
afterEach(() => void vi.useRealTimers());

it('ends at the last whole minute, and goes on where nobody reads', () => {
  render(<List window={{ from: live.from + HOUR_MS, to: live.to + HOUR_MS }} isLive />);
  expect(shown()).toBe('10:00 to 11:00');
  pass(60_000);
  expect(shown()).toBe('10:01 to 11:01');
});

it('stands still while the focus is in the list, says so, and goes on when asked to or left', () => {
  render(<List window={{ from: live.from + HOUR_MS, to: live.to + HOUR_MS }} isLive />);
  screen.getByRole('link').focus();
  pass(120_000);
  expect(shown()).toBe('10:00 to 11:00');
  act(() => screen.getByRole('button', { name: 'Show up to now' }).click());
  expect(shown()).toBe('10:02 to 11:02');
  expect(screen.queryByRole('button')).toBeNull();
  pass(60_000);
  expect(shown()).toBe('10:02 to 11:02');
  screen.getByRole('link').blur();
  pass(60_000);
  expect(shown()).toBe('10:04 to 11:04');
});

it('stands still while the list is scrolled into, and in a page that nobody sees', () => {
  render(<List window={{ from: live.from + HOUR_MS, to: live.to + HOUR_MS }} isLive />);
  window.scrollTo(0, 400);
  pass(60_000);
  expect(shown()).toBe('10:00 to 11:00');
  window.scrollTo(0, 0);
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  pass(60_000);
  expect(shown()).toBe('10:00 to 11:00');
  hidden.mockRestore();
  pass(60_000);
  expect(shown()).toBe('10:03 to 11:03');
});

it('takes another window at once, also while somebody reads', () => {
  const { rerender } = render(<List window={live} isLive />);
  screen.getByRole('link').focus();
  rerender(<List window={{ from: at('08:00:00'), to: at('09:00:00') }} isLive={false} />);
  expect(shown()).toBe('08:00 to 09:00');
  rerender(<List window={{ from: at('07:00:00'), to: at('08:00:00') }} isLive={false} />);
  expect(shown()).toBe('07:00 to 08:00');
});
