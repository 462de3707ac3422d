// The topology as pages use it: what each thing is called and marked, and where it leads. Pure.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { EstateServer } from '../../../api/types.ts';
import type { Mark } from '../../../ui/status.tsx';
import { stateOf } from '../estate/server-state.ts';

export type Group = OperationTypes['getTopology']['result'][number];
export type Cluster = Group['clusters'][number];
export type Server = Cluster['servers'][number];
export type ClusterDetail = OperationTypes['getClusterTopologyDetail']['result'];
export type ClusterLink = ClusterDetail['links'][number];
export type ClusterSlot = ClusterDetail['slots'][number];
export type RelationshipType = ClusterLink['relationship_type'];

/** A server that stands by itself; it is shown without a cluster around it. */
export const isLone = ({ cluster_type }: Cluster): boolean => cluster_type === 'server';

/** Made by somebody; whatever else was found by detection. */
export const isManual = ({ auto_cluster_key }: Cluster): boolean => auto_cluster_key === undefined;

/** The servers with those below them, upstreams first. */
export function allServers(servers: readonly Server[]): Server[] {
  return servers.flatMap((server) => [server, ...allServers(server.children ?? [])]);
}

export const serversOf = ({ servers }: Cluster): Server[] => allServers(servers);

/** What access is given on, where it is stored. */
export function accessScope<S extends 'cluster' | 'group'>(scope: S, named: { id: string; name: string }) {
  const scope_id = storedId(named.id);
  return scope_id === undefined ? undefined : { scope, scope_id, name: named.name };
}

export const clusterPath = ({ id }: Pick<Cluster, 'id'>): string => `/clusters/${encodeURIComponent(id)}`;

/** What happened to its servers. */
export const timelinePath = (cluster: Cluster): string =>
  `/timeline?servers=${serversOf(cluster)
    .map(({ id }) => id)
    .join(',')}`;

/** What got worse on its servers, was mended and runs out. */
export const reportPath = (cluster: Cluster): string =>
  isLone(cluster)
    ? `/report?server=${serversOf(cluster)[0]?.id ?? ''}`
    : `/report?cluster=${encodeURIComponent(cluster.id)}`;

export const TYPE_WORDS: Record<Cluster['cluster_type'], string> = {
  spock: 'Spock',
  spock_ha: 'Spock with standbys',
  binary: 'Streaming replication',
  logical: 'Logical replication',
  server: 'Single server',
  manual: 'Made by hand',
};

const ROLES: Record<string, string> = {
  standalone: 'Single server',
  binary_primary: 'Primary',
  binary_standby: 'Standby',
  logical_publisher: 'Publisher',
  logical_subscriber: 'Subscriber',
  logical_bidirectional: 'Publisher and subscriber',
  spock_node: 'Spock node',
  spock_standby: 'Spock standby',
};

/** A role that somebody gave is shown as given; one that is not known is null. */
export function roleWords(role: string | null | undefined): string | null {
  if (role === undefined || role === null || role === '' || role === 'unknown') return null;
  return ROLES[role] ?? role;
}

export const RELATION_WORDS: Record<RelationshipType, string> = {
  streams_from: 'streams from',
  subscribes_to: 'subscribes to',
  replicates_with: 'replicates with',
};

/** The same of what was so when both ends were last heard, and is not known to be so now. */
export const LAST_SEEN_WORDS: Record<RelationshipType, string> = {
  streams_from: 'last seen streaming from',
  subscribes_to: 'last seen subscribed to',
  replicates_with: 'last seen replicating with',
};

/** What a server that cannot be reached was is of then. */
export function roleNow({ role, status }: Pick<Server, 'role' | 'status'>): string | null {
  const words = roleWords(role);
  return words !== null && status === 'offline' ? `${words} when last seen` : words;
}

export interface State {
  label: string;
  mark: Mark;
  rank: number;
}

/** The estate is read more often than the topology, and knows what is not monitored. */
export function serverState(
  server: Pick<Server, 'id' | 'status' | 'connection_error'>,
  estate: ReadonlyMap<number, EstateServer>,
): State {
  const known = estate.get(server.id);
  if (known) return stateOf(known);
  const { status, connection_error } = server;
  return stateOf({ status, is_monitored: true, connection_error: connection_error ?? null });
}

/** The state of several: the worst of them, and in words how many are not well. */
export function worstState(states: readonly State[]): State {
  const worst = states.reduce<State | undefined>((a, b) => (a && a.rank <= b.rank ? a : b), undefined);
  if (!worst) return { label: 'No server', mark: 'unknown', rank: 9 };
  const bad = states.filter(({ mark }) => mark === 'failed' || mark === 'warning').length;
  if (bad === 0) return { ...worst, label: worst.mark === 'ok' ? 'All online' : worst.label };
  return { ...worst, label: `${bad} of ${states.length} ${bad === 1 ? 'needs' : 'need'} attention` };
}

export const estateById = (servers: readonly EstateServer[] | undefined): ReadonlyMap<number, EstateServer> =>
  new Map((servers ?? []).map((server) => [server.connection_id, server]));

/** 4 of cluster-4 and of group-4; undefined of what is not stored. */
export function storedId(id: string): number | undefined {
  const found = /^(?:cluster|group)-([1-9]\d*)$/.exec(id);
  return found ? Number(found[1]) : undefined;
}

export const groupNumber = (id: string): number => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? 0);
