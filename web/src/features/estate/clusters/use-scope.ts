// Which servers a page is about, as its address says: all, those of a cluster, or one. Guards: a cluster that was detected and
// that nobody has named is asked for by its servers, and nothing is asked for before these are known.
import { useUrlTexts } from '../../../lib/url-state.ts';
import { useEstate } from '../estate/use-estate.ts';
import { type Cluster, isLone, serversOf, storedId } from './model.ts';
import { useTopology } from './use-topology.ts';

export interface Scope {
  /** Of the operations that take connections or a cluster; undefined: not known yet. */
  query: { connection_id?: number; connection_ids?: string; cluster_id?: number } | undefined;
  /** "Every server", or the name of the cluster or server. */
  name: string;
  /** Of the choice: empty, `cluster cluster-4` or `server 3`. */
  value: string;
  /** As a schedule names it; undefined of a cluster that nobody has named. */
  target: { scope: 'estate' | 'cluster' | 'server'; scope_id?: number } | undefined;
}

const ESTATE: Scope = { query: {}, name: 'Every server', value: '', target: { scope: 'estate' } };
const MAX_ID = 2_147_483_647;

const idOf = (text: string) =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined;

/** A number is a cluster that is stored, as `cluster-4`. */
const keyOf = (text: string) => (idOf(text) === undefined ? text : `cluster-${text}`);

function ofCluster(key: string, cluster: Cluster | undefined): Scope {
  const stored = storedId(key);
  const ids = cluster && serversOf(cluster).map(({ id }) => id);
  return {
    query: stored === undefined ? ids && { connection_ids: ids.join(',') } : { cluster_id: stored },
    name: cluster?.name ?? (stored === undefined ? 'Cluster' : `Cluster ${stored}`),
    value: `cluster ${key}`,
    target: stored === undefined ? undefined : { scope: 'cluster', scope_id: stored },
  };
}

/** Clusters of several servers, by name. */
export function useClusters(): Cluster[] {
  return (useTopology().data ?? [])
    .flatMap(({ clusters }) => clusters)
    .filter((one) => !isLone(one))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

export function useScope(): [Scope, (value: string) => void] {
  const [text, set] = useUrlTexts(['server', 'cluster']);
  const servers = useEstate().data?.servers ?? [];
  const clusters = useClusters();
  const choose = (value: string) => {
    const [kind = '', id = ''] = value.split(' ');
    set({ server: kind === 'server' ? id : '', cluster: kind === 'cluster' ? id : '' });
  };
  const server = idOf(text('server'));
  if (server !== undefined) {
    const known = servers.find((one) => one.connection_id === server);
    const scope: Scope = {
      query: { connection_id: server },
      name: known?.name ?? `Server ${server}`,
      value: `server ${server}`,
      target: { scope: 'server', scope_id: server },
    };
    return [scope, choose];
  }
  if (text('cluster') === '') return [ESTATE, choose];
  const key = keyOf(text('cluster'));
  return [
    ofCluster(
      key,
      clusters.find(({ id }) => id === key),
    ),
    choose,
  ];
}
