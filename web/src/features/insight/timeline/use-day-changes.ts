// What changed on all servers since the same time yesterday, read once for all that show it.

import { useSyncExternalStore } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { DAY_MS } from '../../../lib/units.ts';

/** The window moves on by as much, and is read again then. */
const STEP_MS = 300_000;

const stepNow = () => Math.ceil((currentSecond() * 1000) / STEP_MS) * STEP_MS;

export function useDayChanges() {
  const now = useSyncExternalStore(subscribeToSeconds, stepNow);
  const query = {
    start_time: new Date(now - DAY_MS).toISOString(),
    end_time: new Date(now).toISOString(),
    limit: 1,
    with_last_changes: true,
  };
  return useOperation('listChanges', { query }, { staleMs: STEP_MS, keepPrevious: true });
}
