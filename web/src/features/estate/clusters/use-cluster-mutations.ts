// What people do to clusters, in one place, whether by dragging, by menu or by keyboard. What was done is said; what
// failed stays to be read. A cluster that is only detected is stored the moment somebody says something about it.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, type OperationId } from '../../../api/client.ts';
import { type Cluster, type Group, groupNumber, type Server, storedId } from './model.ts';

const TOUCHED: readonly OperationId[] = [
  'getTopology',
  'listClusters',
  'listClusterGroups',
  'getConnectionCluster',
  'getClusterTopologyDetail',
  'getCluster',
  'getProbeSettings',
];

type ClusterName = Pick<Cluster, 'id' | 'name'>;

interface ClusterText {
  name: string;
  description: string;
}

export interface ClusterMutations {
  isBusy: boolean;
  /** What was done last, to be read out. */
  said: string;
  error: ApiError | null;
  forget(): void;
  moveServer(server: Server, cluster: ClusterName | null): Promise<boolean>;
  giveBack(server: Server): Promise<boolean>;
  moveCluster(cluster: ClusterName, group: Group): Promise<boolean>;
  changeCluster(cluster: ClusterName, change: Partial<ClusterText>): Promise<boolean>;
  changeGroup(group: Group, change: Partial<ClusterText>): Promise<boolean>;
  createCluster(text: ClusterText, group: Group | undefined): Promise<boolean>;
  createGroup(text: ClusterText): Promise<boolean>;
  deleteCluster(cluster: ClusterName, said: string): Promise<boolean>;
  deleteGroup(group: Group): Promise<boolean>;
  bringBack(id: number, name: string): Promise<boolean>;
}

/** The number of the stored row, which is made when there is none. */
async function stored({ id }: ClusterName): Promise<number> {
  return storedId(id) ?? (await call('updateCluster', { params: { id }, body: { dismissed: false } })).id;
}

const place = (server: Server, body: { cluster_id: number | null; membership_source: 'auto' | 'manual' }) =>
  call('setConnectionCluster', { params: { id: server.id }, body });

type Run = (said: string, work: () => Promise<unknown>) => Promise<boolean>;

const serverMutations = (run: Run): Pick<ClusterMutations, 'moveServer' | 'giveBack'> => ({
  moveServer: (server, cluster) =>
    run(
      cluster
        ? `${server.name} was pinned to ${cluster.name}.`
        : `${server.name} is a cluster of its own now.`,
      async () =>
        place(server, { cluster_id: cluster ? await stored(cluster) : null, membership_source: 'manual' }),
    ),
  giveBack: (server) =>
    run(`${server.name} was given back to detection.`, () =>
      place(server, { cluster_id: null, membership_source: 'auto' }),
    ),
});

const clusterMutations = (
  run: Run,
): Omit<ClusterMutations, 'isBusy' | 'said' | 'error' | 'forget' | 'moveServer' | 'giveBack'> => ({
  moveCluster: ({ id, name }, group) =>
    run(`${name} was moved to ${group.name}.`, () =>
      call('updateCluster', {
        params: { id },
        body: { group_id: group.is_default ? null : groupNumber(group.id) },
      }),
    ),
  changeCluster: ({ id, name }, change) =>
    run(`${change.name ?? name} was saved.`, () => call('updateCluster', { params: { id }, body: change })),
  changeGroup: ({ id, name }, change) =>
    run(`${change.name ?? name} was saved.`, () =>
      call('updateClusterGroup', { params: { id }, body: { name, ...change } }),
    ),
  createCluster: (text, group) =>
    run(`${text.name} was created.`, () =>
      call('createCluster', {
        body: { ...text, ...(group && !group.is_default ? { group_id: groupNumber(group.id) } : {}) },
      }),
    ),
  createGroup: (text) => run(`${text.name} was created.`, () => call('createClusterGroup', { body: text })),
  deleteCluster: ({ id }, said) => run(said, () => call('deleteCluster', { params: { id } })),
  deleteGroup: ({ id, name }) =>
    run(`${name} was deleted.`, () => call('deleteClusterGroup', { params: { id } })),
  bringBack: (id, name) =>
    run(`${name} is shown again.`, () =>
      call('updateCluster', { params: { id: String(id) }, body: { dismissed: false } }),
    ),
});

export function useClusterMutations(): ClusterMutations {
  const client = useQueryClient();
  const [said, setSaid] = useState('');
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run: Run = async (words, work) => {
    setBusy(true);
    setError(null);
    setSaid('');
    try {
      await work();
      await Promise.all(TOUCHED.map((name) => client.invalidateQueries({ queryKey: [name] })));
      setSaid(words);
      return true;
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const forget = () => setError(null);
  return { isBusy, said, error, forget, ...serverMutations(run), ...clusterMutations(run) };
}
