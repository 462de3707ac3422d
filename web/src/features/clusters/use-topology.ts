// The topology as everybody reads it: one poll feeds the navigation and the pages of clusters. A server that the estate
// knows and the topology does not yet is looked for at once.
import { useEffect } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { useEstate } from '../estate/use-estate.ts';

const EVERY_MS = 30_000;

export function useTopology() {
  const topology = useOperation('getTopology', {}, { everyMs: EVERY_MS, staleMs: EVERY_MS });
  const ids = useEstate()
    .data?.servers.map(({ connection_id, name }) => `${connection_id} ${name}`)
    .sort()
    .join('\n');
  const { refetch } = topology;
  useEffect(() => {
    if (ids !== undefined) void refetch({ cancelRefetch: false });
  }, [ids, refetch]);
  return topology;
}
