// The topology. The navigation reads it again and again for everybody, and at once when the estate knows a server or a
// name that it does not know yet; pages show what was read.
import { useEffect } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { useEstate } from '../estate/use-estate.ts';

const EVERY_MS = 30_000;

export function useTopology() {
  return useOperation('getTopology', {}, { staleMs: EVERY_MS });
}

/** For the navigation, which stands on every page. */
export function useLiveTopology() {
  const topology = useOperation('getTopology', {}, { everyMs: EVERY_MS, staleMs: EVERY_MS });
  const names = useEstate()
    .data?.servers.map(({ connection_id, name }) => `${connection_id} ${name}`)
    .sort()
    .join('\n');
  const { refetch } = topology;
  useEffect(() => {
    if (names !== undefined) void refetch({ cancelRefetch: false });
  }, [names, refetch]);
  return topology;
}
