// When something ends, counting down by the server's clock, with the exact time in the title.
import { useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { exactTime } from '../../../lib/time.ts';
import { Status } from '../../../ui/status.tsx';
import { expiryText } from './scope-values.ts';

export function Expiry({ at }: { at: string }) {
  const words = expiryText(at, useSyncExternalStore(subscribeToSeconds, currentSecond));
  return (
    <time dateTime={at} title={exactTime(at)}>
      {words === 'expired' ? <Status mark="failed" label="Expired" /> : words}
    </time>
  );
}
