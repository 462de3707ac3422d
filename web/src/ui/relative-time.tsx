// "12 s ago", counting by the server's clock, with the exact time in the title.
import { useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../lib/clock.ts';
import { exactTime, relativeTime } from '../lib/time.ts';

export function RelativeTime({ at }: { at: string }) {
  const second = useSyncExternalStore(subscribeToSeconds, currentSecond);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, second)}
    </time>
  );
}
