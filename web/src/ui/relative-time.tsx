// "12 s ago" and "in 12 s", counting by the server's clock, with the exact time in the title.
import { useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../lib/clock.ts';
import { exactTime, relativeTime, timeAhead } from '../lib/time.ts';

export function RelativeTime({ at }: { at: string }) {
  const second = useSyncExternalStore(subscribeToSeconds, currentSecond);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, second)}
    </time>
  );
}

/** Of what is to come. */
export function TimeAhead({ at }: { at: string }) {
  const second = useSyncExternalStore(subscribeToSeconds, currentSecond);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {timeAhead(at, second)}
    </time>
  );
}
