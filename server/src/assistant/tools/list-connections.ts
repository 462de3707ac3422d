// Which servers are watched: where an assistant begins.

import { getEstate, listConnections } from '../../estate/estate.ts';
import { object } from '../../kernel/schema.ts';
import { answer, second } from './support/answer.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'list_connections',
  title: 'Monitored servers',
  summary: 'The monitored servers that you can see, with state and version.',
  description:
    'Lists the monitored PostgreSQL servers that you can see: id, name, address, database, state, version and role. The id is the connection_id of other tools. Begin here.',
  cost: 'A few statements on our datastore; nothing is asked of the servers.',
  privilege: { id: 10, description: 'List the visible connections' },
  most_statements: 4,
  examples: [{ ask: 'Which servers are there, and are they up?', input: {} }],
  input: object({}),
  async run(ctx) {
    const [connections, estate] = await Promise.all([listConnections(ctx), getEstate(ctx)]);
    const states = new Map(estate.servers.map((server) => [server.connection_id, server]));
    const columns = ['id', 'name', 'description', 'host', 'port', 'database', 'monitored', 'status'];
    return answer(ctx, {
      about: `${connections.length} monitored servers that you can see`,
      source: `collected samples, as known at ${second(ctx.clock.now())}`,
      page: '/',
      sections: [
        {
          columns: [...columns, 'version', 'role', 'last_sample_at', 'problem'],
          rows: connections.map((one) => {
            const state = states.get(one.id);
            return [
              ...[one.id, one.name, one.description, one.host, one.port, one.database_name],
              ...[one.is_monitored, state?.status, state?.version, state?.role],
              ...[state?.last_sample_at, state?.connection_error],
            ];
          }),
          empty: 'You can see no connection: ask for access to one, or for a token whose scope has one.',
        },
      ],
    });
  },
});
