// Following the log: the button, what it says of itself, and which of the new events are shown while one reads in the list.
import { Button } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { type RefObject, useState } from 'react';
import { useSearchParams } from 'react-router';
import { countOf, formatCount } from '../../../lib/format.ts';
import { LiveIcon, PausedIcon, WarningIcon } from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { LogTail, TailEvent } from './log-tail.ts';
import classes from './logs.module.css';
import { useReadingPause } from './use-reading-pause.ts';

/** How often it is said aloud how many came. */
const SAID_MS = 5000;

/** Whether the log is followed, which stands in the address; to begin it, the window follows the clock. */
export function useLive(isLive: boolean): [boolean, (isOn: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (isOn: boolean) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (!isOn) next.delete('live');
        else {
          next.set('live', 'on');
          for (const name of ['from', 'to', 'at']) next.delete(name);
        }
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return [isLive && search.get('live') === 'on', set];
}

export function LiveButton({ isOn, set }: { isOn: boolean; set: (isOn: boolean) => void }) {
  return (
    <Button
      variant={isOn ? 'filled' : 'default'}
      size="compact-xs"
      aria-pressed={isOn}
      leftSection={<LiveIcon size={14} aria-hidden="true" />}
      onClick={() => set(!isOn)}
    >
      Live tail
    </Button>
  );
}

interface Held {
  /** Those to show, newest first. */
  events: readonly TailEvent[];
  isPaused: boolean;
  /** How many came since it is paused. */
  waiting: number;
}

/** What is shown stays as it is while one reads in it. */
export function useHeld(tail: LogTail, ref: RefObject<HTMLElement | null>, isOn: boolean): Held {
  const isPaused = useReadingPause(ref, isOn);
  const [held, setHeld] = useState<LogTail>();
  if (isPaused && held === undefined) setHeld(tail);
  if (!isPaused && held !== undefined) setHeld(undefined);
  const shown = isPaused ? (held ?? tail) : tail;
  return { events: shown.events, isPaused, waiting: Math.max(0, tail.came - shown.came) };
}

function stateWords({ isOpen, error, came }: Pick<LogTail, 'isOpen' | 'error' | 'came'>): string {
  if (error) return 'Not connected.';
  if (!isOpen) return 'Connecting …';
  return came === 0 ? 'Live. No new events yet.' : `Live. ${countOf(came, 'new event')}.`;
}

function ReadTo({ reading }: Pick<LogTail, 'reading'>) {
  if (!reading) return null;
  const { state, looked_at, read_until, reason } = reading;
  if (state !== 'reading')
    return (
      <Notice tone="warn" icon={<WarningIcon size={16} />}>
        The log is not read, so no events come. {reason}
      </Notice>
    );
  const at = read_until ?? looked_at;
  if (at === null) return null;
  return (
    <span className={classes.dim}>
      {read_until === null ? 'Log read' : 'Reading is behind: events are read up to'} <RelativeTime at={at} />
      .
    </span>
  );
}

function LeftOut({ leftOut }: Pick<LogTail, 'leftOut'>) {
  if (leftOut === 0) return null;
  const words =
    leftOut === null
      ? 'More events came at once than are shown here.'
      : `${countOf(leftOut, 'event')} came at once with others and ${leftOut === 1 ? 'is' : 'are'} not shown here.`;
  return <span className={classes.dim}>{words} The chart counts all of them.</span>;
}

interface LiveStateProps {
  tail: LogTail;
  held: Held;
  list: RefObject<HTMLElement | null>;
}

export function LiveState({ tail, held, list }: LiveStateProps) {
  /** Goes to the newest. */
  const onShow = () => {
    document.getSelection()?.removeAllRanges();
    list.current?.scrollIntoView({ block: 'start' });
  };
  const came = useThrottledValue(tail.came, SAID_MS);
  const { error, isOpen, reading, leftOut } = tail;
  return (
    <div className={classes.live}>
      <span role="status" className={classes.liveState}>
        {stateWords({ isOpen, error, came })}
      </span>
      {error ? <span className={classes.dim}>{error.message}</span> : null}
      <ReadTo reading={reading} />
      <LeftOut leftOut={leftOut} />
      {held.isPaused ? (
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<PausedIcon size={12} aria-hidden="true" />}
          onClick={onShow}
        >
          Paused while you read
          {held.waiting === 0 ? '' : `: show ${formatCount(held.waiting)} new`}
        </Button>
      ) : null}
    </div>
  );
}
