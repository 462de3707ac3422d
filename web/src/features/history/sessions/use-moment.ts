// The state of a server at one moment, or now. Guards: that of one is never kept on the screen for another.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';

export type Moment = OperationTypes['getConnectionMoment']['result'];

/** As many as are kept of a server. */
const MOST_SESSIONS = 1000;
const READ_MS = 10_000;

/** `at` in milliseconds since 1970; undefined: now, read again and again. */
export function useMoment(id: number, at: number | undefined) {
  return useOperation(
    'getConnectionMoment',
    {
      params: { id },
      query: { limit: MOST_SESSIONS, ...(at === undefined ? {} : { at: new Date(at).toISOString() }) },
    },
    at === undefined ? { everyMs: READ_MS } : { staleMs: 60_000 },
  );
}
