// "since 14:03:05, 5 min ago": from when on something is so. Days ago, with the date.
import { useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../lib/clock.ts';
import { clockTime, exactTime } from '../lib/time.ts';
import { RelativeTime } from './relative-time.tsx';

const DAY_SECONDS = 86_400;

export function Since({ at }: { at: string }) {
  const now = useSyncExternalStore(subscribeToSeconds, currentSecond);
  const time = Date.parse(at);
  return (
    <>
      since {now - time / 1000 < DAY_SECONDS ? clockTime(time) : exactTime(at)}, <RelativeTime at={at} />
    </>
  );
}
