// Which servers make up which cluster, still without names. Pure. Guards: every connection is in exactly one; spock
// comes before streaming, streaming before logical replication.
import { first, Groups, groupBy } from './groups.ts';
import { labelsFor, nodeKey, type SpockGroup } from './labels.ts';
import type { Lineage } from './lineages.ts';
import type { Link } from './publishers.ts';
import type { Server } from './servers.ts';
import type { ClusterType, Label, Memory, NodeFacts } from './types.ts';

export interface Draft {
  readonly key: string;
  readonly type: ClusterType;
  readonly leader: Server;
  readonly servers: readonly Server[];
  readonly connections: readonly NodeFacts[];
}

const connectionsOf = (servers: readonly Server[]) =>
  servers.flatMap(({ connections }) => connections).sort((a, b) => a.connection_id - b.connection_id);

const isSpock = ({ servers }: Lineage) => servers.some(({ role }) => role?.spock);

/** Lineages that links of that kind hold together. */
function joined(lineages: readonly Lineage[], links: readonly Link[], kind: Link['kind']): Lineage[][] {
  const byServer = new Map(
    lineages.flatMap((one) => one.servers.map(({ id }) => [id, one.leader.id] as const)),
  );
  const groups = new Groups();
  for (const link of links) {
    const [a, b] = [byServer.get(link.subscriber.id), byServer.get(link.publisher.id)];
    if (link.kind === kind && a !== undefined && b !== undefined) groups.join(a, b);
  }
  return [...groupBy(lineages, ({ leader }) => groups.of(leader.id)).values()];
}

function spockDrafts(
  together: readonly Lineage[][],
  memory: Memory,
): { drafts: Draft[]; labels: readonly Label[] } {
  const found = together.map((lineages) => {
    const servers = lineages.flatMap((one) => one.servers);
    const connections = connectionsOf(servers);
    const nodes = servers.filter(({ role }) => role?.spock);
    const leader = first(nodes, (a, b) => a.id - b.id) ?? servers[0];
    const group: SpockGroup = {
      id: leader?.id ?? 0,
      node_keys: [...new Set(nodes.map(nodeKey))],
      node_names: nodes.map(({ role }) => role?.spock?.node_name ?? ''),
      names: connections.map(({ name }) => name),
    };
    const hasStandbys =
      servers.some(({ role }) => role?.is_in_recovery) || lineages.some((one) => one.servers.length > 1);
    return { group, leader, servers, connections, hasStandbys };
  });
  const { labels, changed } = labelsFor(
    found.map(({ group }) => group),
    memory.labels,
  );
  const drafts = found.flatMap(({ group, leader, servers, connections, hasStandbys }): Draft[] =>
    leader
      ? [
          {
            key: `spock:${labels.get(group.id)}`,
            type: hasStandbys ? 'spock_ha' : 'spock',
            leader,
            servers,
            connections,
          },
        ]
      : [],
  );
  return { drafts, labels: changed };
}

/** Who publishes to most leads, unless the one that led until now still publishes. */
function publisherAmong(
  servers: readonly Server[],
  links: readonly Link[],
  memory: Memory,
): Server | undefined {
  const ids = new Set(servers.map(({ id }) => id));
  const inside = links.filter(({ publisher, subscriber }) => ids.has(publisher.id) && ids.has(subscriber.id));
  const counts = groupBy(inside, ({ publisher }) => publisher.id);
  const before = (one: Server) => memory.members.get(one.id)?.cluster_key === `logical:${one.id}`;
  return first(
    servers.filter(({ id }) => counts.has(id)),
    (a, b) =>
      Number(before(b)) - Number(before(a)) ||
      (counts.get(b.id)?.length ?? 0) - (counts.get(a.id)?.length ?? 0) ||
      a.id - b.id,
  );
}

function standalone(server: Server): Draft[] {
  return server.connections.map((facts) => ({
    key: `standalone:${facts.connection_id}`,
    type: 'server',
    leader: server,
    servers: [server],
    connections: [facts],
  }));
}

function logicalDrafts(together: readonly Lineage[], links: readonly Link[], memory: Memory): Draft[] {
  const servers = together.flatMap((one) => one.servers);
  const leader = servers.length > 1 ? publisherAmong(servers, links, memory) : undefined;
  if (!leader) return servers.flatMap(standalone);
  return [
    { key: `logical:${leader.id}`, type: 'logical', leader, servers, connections: connectionsOf(servers) },
  ];
}

/** The clusters, and the labels that are to be stored. */
export function draftsOf(
  lineages: readonly Lineage[],
  links: readonly Link[],
  memory: Memory,
): { drafts: Draft[]; labels: readonly Label[] } {
  const spock = spockDrafts(joined(lineages.filter(isSpock), links, 'spock'), memory);
  const others = lineages.filter((one) => !isSpock(one));
  const binary = others
    .filter(({ servers }) => servers.length > 1)
    .map(({ servers, leader }): Draft => {
      const connections = connectionsOf(servers);
      return { key: `binary:${leader.id}`, type: 'binary', leader, servers, connections };
    });
  const single = others.filter(({ servers }) => servers.length === 1);
  const logical = joined(single, links, 'logical').flatMap((group) => logicalDrafts(group, links, memory));
  return { drafts: [...spock.drafts, ...binary, ...logical], labels: spock.labels };
}
