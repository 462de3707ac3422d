// What is collected of a server: watched closely while something has not run yet, else as slowly as it changes.
import { LIVE_MS, useOperation } from '../../api/use-operation.ts';

const USUAL_MS = 15_000;

export function useCoverage(id: number, options: { enabled?: boolean } = {}) {
  return useOperation(
    'getConnectionCoverage',
    { params: { id } },
    { ...options, everyMs: (coverage) => (coverage?.counts.waiting === 0 ? USUAL_MS : LIVE_MS) },
  );
}
