// Times on the screen count by the server's clock, whatever the reader's says, and are exact in their titles.
import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { noteServerTime } from '../lib/clock.ts';
import { exactTime } from '../lib/time.ts';
import { show } from '../testing/show.tsx';
import { ReadAt } from './read-at.tsx';
import { Since } from './since.tsx';

afterEach(() => {
  vi.useRealTimers();
  noteServerTime(new Date().toUTCString());
});

it('says how old a figure is by the clock of the server, and goes on counting', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T10:00:00Z') });
  // The reader's clock is an hour slow.
  noteServerTime('Fri, 20 Nov 2026 11:00:00 GMT');
  const at = '2026-11-20T10:59:50Z';
  show(<ReadAt before="3 databases" at={at} />);
  expect(screen.getByText(/3 databases, read/).textContent).toBe('3 databases, read 10 s ago');
  await vi.advanceTimersByTimeAsync(5000);
  expect(screen.getByText(/3 databases, read/).textContent).toBe('3 databases, read 15 s ago');
  expect(screen.getByText('15 s ago').title).toBe(exactTime(at));
});

it('says since when something is so, with the date once that is a day ago', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T10:00:00Z') });
  noteServerTime('Fri, 20 Nov 2026 10:00:00 GMT');
  const today = '2026-11-20T09:55:00Z';
  const before = '2026-11-17T09:55:00Z';
  show(
    <>
      <p>
        <Since at={today} />
      </p>
      <p>
        <Since at={before} />
      </p>
    </>,
  );
  const [first, second] = screen.getAllByRole('paragraph').map(({ textContent }) => textContent);
  expect(first).toMatch(/^since \d\d:\d\d:\d\d, 5 min ago$/);
  expect(second).toBe(`since ${exactTime(before)}, 3 d ago`);
});

it('says nothing of an age that nobody knows', () => {
  show(
    <p>
      <ReadAt before="3 databases" at={null} />
    </p>,
  );
  expect(screen.getByRole('paragraph').textContent).toBe('3 databases');
});
