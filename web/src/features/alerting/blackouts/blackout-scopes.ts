// Where blackouts hold: clusters and servers as the topology has them, and which of them something is for. Pure.
import { allServers, type Group, groupNumber, isLone, storedId } from '../../estate/clusters/model.ts';
import type { Blackout, Schedule } from './blackout-words.ts';

export interface BlackoutScope {
  /** As the topology names it. */
  id: string;
  name: string;
  servers: readonly number[];
  /** What a blackout of the cluster names; undefined of one that was detected and that nobody has named. */
  cluster: number | undefined;
  group: number;
  /** A server that stands by itself. */
  isLone: boolean;
}

/** Those that have servers, by name. */
export function placesOf(groups: readonly Group[]): BlackoutScope[] {
  return groups
    .flatMap((group) =>
      group.clusters.map((cluster) => ({
        id: cluster.id,
        name: cluster.name,
        servers: allServers(cluster.servers).map(({ id }) => id),
        cluster: storedId(cluster.id),
        group: groupNumber(group.id),
        isLone: isLone(cluster),
      })),
    )
    .filter(({ servers }) => servers.length > 0)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** One server where it stands. */
export function placeOfServer(places: readonly BlackoutScope[], server: number): BlackoutScope | undefined {
  const around = places.find(({ servers }) => servers.includes(server));
  return around && { ...around, servers: [server] };
}

type Targeted = Pick<
  Blackout | Schedule,
  'scope' | 'group_id' | 'cluster_id' | 'connection_id' | 'database_name'
>;

/** Whether something holds there: for all of it, or for one of its servers or databases alone. */
export function holdsIn(
  what: Targeted,
  { servers, cluster, group }: BlackoutScope,
): 'all' | 'part' | undefined {
  if (what.scope === 'estate') return 'all';
  if (what.scope === 'group') return what.group_id === group ? 'all' : undefined;
  if (what.scope === 'cluster')
    return cluster !== undefined && what.cluster_id === cluster ? 'all' : undefined;
  if (what.connection_id === undefined || !servers.includes(what.connection_id)) return undefined;
  return servers.length === 1 && what.database_name === undefined ? 'all' : 'part';
}
