// What is collected of a server: watched closely while something has not run yet, else as slowly as it changes. In brief unless a page
// shows every database: of 300 databases all entries are 1.4 MB.
import { LIVE_MS, useOperation } from '../../../api/use-operation.ts';

const USUAL_MS = 15_000;
/** For pages that only count it. */
const SELDOM_MS = 60_000;

export function useCoverage(
  id: number,
  {
    isCounted = false,
    brief = true,
    ...options
  }: { enabled?: boolean; isCounted?: boolean; brief?: boolean } = {},
) {
  const usual = isCounted ? SELDOM_MS : USUAL_MS;
  return useOperation(
    'getConnectionCoverage',
    { params: { id }, query: { brief } },
    { ...options, everyMs: (coverage) => (coverage?.counts.waiting === 0 ? usual : LIVE_MS) },
  );
}
