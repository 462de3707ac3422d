// The open alerts of a server, which its bar and its overview show: one reading for both.
import { useOperation } from '../../../api/use-operation.ts';

/** Whatever changes the count of active ones is seen sooner. */
const EVERY_MS = 60_000;
/** More than these are only counted. */
const MOST = 50;

export function useServerAlerts(connectionId: number) {
  const query = { connection_id: connectionId, exclude_cleared: true, limit: MOST };
  return useOperation('listAlerts', { query }, { everyMs: EVERY_MS });
}
