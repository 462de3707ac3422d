// From what servers say of themselves to clusters, their members and who replicates from whom. Pure, and the same
// whatever the order of its input. Guards: each connection is in exactly one cluster, nobody is above themselves,
// and what nobody could read is not guessed.
import { type Draft, draftsOf } from './drafts.ts';
import { formerKeys } from './former-clusters.ts';
import { namesFor } from './labels.ts';
import { lineagesOf } from './lineages.ts';
import { type Link, linksOf } from './publishers.ts';
import { type Server, serversOf } from './servers.ts';
import type {
  DetectedCluster,
  DetectedNode,
  Detection,
  Memory,
  NodeFacts,
  PrimaryRole,
  Relationship,
} from './types.ts';
import { isPrimary, type Upstreams, upstreamsOf } from './upstreams.ts';

const REPLICATION = {
  spock: 'spock',
  spock_ha: 'spock',
  binary: 'binary',
  logical: 'logical',
  server: null,
} as const;

interface Parts {
  publishers: ReadonlySet<number>;
  subscribers: ReadonlySet<number>;
  upstreams: Upstreams;
}

/** As the server says, and as the others show: a primary whose standby is away is one still. */
function roleOf(server: Server, draft: Draft, { publishers, subscribers }: Parts): PrimaryRole | null {
  const { role } = server;
  if (!role) return null;
  if (role.spock) return role.is_in_recovery ? 'spock_standby' : 'spock_node';
  if (role.is_in_recovery) return 'binary_standby';
  if (role.standby_count > 0 || (draft.type === 'binary' && draft.leader.id === server.id))
    return 'binary_primary';
  const publishes = role.is_publisher || publishers.has(server.id);
  const subscribes = role.is_subscriber || subscribers.has(server.id);
  if (publishes) return subscribes ? 'logical_bidirectional' : 'logical_publisher';
  return subscribes ? 'logical_subscriber' : 'standalone';
}

function nodesOf(draft: Draft, parts: Parts): DetectedNode[] {
  const mine = new Set(draft.connections.map(({ connection_id }) => connection_id));
  return draft.servers.flatMap((server) =>
    server.connections
      .filter(({ connection_id }) => mine.has(connection_id))
      .map(({ connection_id, role, collected_at, system_identifier, version, os }) => ({
        connection_id,
        cluster_key: draft.key,
        primary_role: roleOf(server, draft, parts),
        parent_connection_id: parts.upstreams.get(server.id)?.id ?? null,
        system_identifier,
        version,
        os,
        spock_node_name: role?.spock?.node_name ?? null,
        spock_version: role?.spock?.version ?? null,
        collected_at,
      })),
  );
}

function linkRelations(links: readonly Link[]): Relationship[] {
  const pairs = new Set(links.map(({ subscriber, publisher }) => `${subscriber.id} ${publisher.id}`));
  const found = links
    .filter(({ subscriber, publisher }) => isPrimary(subscriber) && publisher.role !== null)
    .map(({ subscriber, publisher }): [string, Relationship] => {
      const isMutual = pairs.has(`${publisher.id} ${subscriber.id}`);
      const relation: Relationship = {
        source_connection_id: subscriber.id,
        target_connection_id: publisher.id,
        relationship_type: isMutual ? 'replicates_with' : 'subscribes_to',
      };
      return [`${subscriber.id} ${publisher.id}`, relation];
    });
  return [...new Map(found).values()];
}

const byConnection = (a: { connection_id: number }, b: { connection_id: number }) =>
  a.connection_id - b.connection_id;

function clustersOf(drafts: readonly Draft[], memory: Memory): DetectedCluster[] {
  const former = formerKeys(drafts, memory);
  const nameless = drafts.map((draft) => ({
    key: draft.key,
    before: memory.names.get(former.get(draft) ?? draft.key),
    names: draft.connections.map(({ name }) => name),
    leader: draft.type === 'server' ? (draft.connections[0]?.name ?? '') : draft.leader.facts.name,
  }));
  const names = namesFor(nameless.filter(({ key }) => !key.startsWith('spock:')));
  return drafts
    .map((draft) => ({
      cluster_key: draft.key,
      cluster_type: draft.type,
      replication_type: REPLICATION[draft.type],
      name: names.get(draft.key) ?? draft.key.slice('spock:'.length),
      former_key: former.get(draft) ?? null,
    }))
    .sort((a, b) => (a.cluster_key < b.cluster_key ? -1 : 1));
}

export function detect(facts: readonly NodeFacts[], memory: Memory): Detection {
  const servers = serversOf([...facts].sort(byConnection));
  const upstreams = upstreamsOf(servers, memory.members);
  const links = linksOf(servers);
  const { drafts, labels } = draftsOf(lineagesOf(servers, upstreams, memory), links, memory);
  const parts: Parts = {
    upstreams,
    publishers: new Set(links.map(({ publisher }) => publisher.id)),
    subscribers: new Set(links.map(({ subscriber }) => subscriber.id)),
  };
  const nodes = drafts.flatMap((draft) => nodesOf(draft, parts)).sort(byConnection);
  const streams = nodes.flatMap(({ connection_id, parent_connection_id }): Relationship[] =>
    parent_connection_id === null
      ? []
      : [
          {
            source_connection_id: connection_id,
            target_connection_id: parent_connection_id,
            relationship_type: 'streams_from',
          },
        ],
  );
  return {
    nodes,
    clusters: clustersOf(drafts, memory),
    relationships: [...streams, ...linkRelations(links)],
    labels,
  };
}
