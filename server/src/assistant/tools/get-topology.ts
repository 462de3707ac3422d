// Which servers form clusters, and who replicates from whom.

import type { TopologyServerShape } from '../../estate/clusters/topology.schemas.ts';
import { readTopology } from '../../estate/estate.ts';
import { object } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import { answer, type Cell, second } from './support/answer.ts';
import { defineTool } from './types.ts';

interface TopologyPosition {
  group: string;
  cluster: string;
  upstream: string | null;
}

/** A server and all that stream from it. */
function rowsOf(server: TopologyServerShape, place: TopologyPosition): Cell[][] {
  const links = (server.relationships ?? []).map(
    (one) => `${one.relationship_type} ${one.target_server_name}`,
  );
  const row = [
    ...[
      place.group,
      place.cluster,
      server.id,
      server.name,
      server.role ?? server.primary_role,
      server.status,
    ],
    ...[server.version, place.upstream, links.join(', '), server.active_alert_count],
  ];
  const below = (server.children ?? []).flatMap((child) =>
    rowsOf(child, { ...place, upstream: server.name }),
  );
  return [row, ...below];
}

export const tool = defineTool({
  name: 'get_topology',
  title: 'Clusters and replication',
  summary: 'Which servers form clusters, and who replicates from whom.',
  description:
    'Lists groups, clusters and their servers with role, state and the server that each streams from, as they were detected or set by people. Servers that you cannot see are left out.',
  cost: 'Four statements on our datastore.',
  privilege: { id: 32, description: 'Read which servers replicate to which' },
  most_statements: 8,
  examples: [{ ask: 'Which server is the primary, and which are its standbys?', input: {} }],
  input: object({}),
  async run(ctx) {
    const groups = await readTopology(ctx);
    const rows = groups.flatMap(({ name: group, clusters }) =>
      clusters.flatMap(({ name: cluster, servers }) =>
        servers.flatMap((server) => rowsOf(server, { group, cluster, upstream: null })),
      ),
    );
    return answer(ctx, {
      about: `${many(rows.length, 'server')} in ${many(groups.length, 'group')}`,
      source: `what was detected and what people set, as known at ${second(ctx.clock.now())}`,
      page: '/clusters',
      sections: [
        {
          columns: [
            'group',
            'cluster',
            'connection_id',
            'server',
            'role',
            'status',
            'version',
            'streams_from',
            'relations',
            'alerts',
          ],
          rows,
          empty: 'You can see no server.',
        },
      ],
    });
  },
});
