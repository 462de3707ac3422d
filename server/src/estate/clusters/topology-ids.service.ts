// The topology's id of the cluster that a server belongs to, for rooms that count by cluster. Pure.
import { detectedId } from './cluster-ids.ts';

/** Of a row of matriarch.connection_scopes. */
export function topologyId({
  cluster_id,
  cluster_key,
}: {
  cluster_id: number | null;
  cluster_key: string | null;
}) {
  return cluster_id === null ? detectedId(cluster_key ?? '') : `cluster-${cluster_id}`;
}
